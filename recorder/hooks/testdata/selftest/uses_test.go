package selftest

import (
	"database/sql"
	"database/sql/driver"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What built-in properties are about. Each has its object do what its name says.

// serve has a server answer a request by f, and returns when all of it is done.
func serve(t *testing.T, f http.HandlerFunc) {
	s := httptest.NewServer(f)
	resp, err := http.Post(s.URL, "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	s.Close()
}

func TestNetHttpResponseWrite(t *testing.T) {
	serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
}

func TestNetHttpResponseFinishRequest(t *testing.T) {
	serve(t, func(w http.ResponseWriter, r *http.Request) {})
}

func TestNetHttpBodyRead(t *testing.T) {
	serve(t, func(w http.ResponseWriter, r *http.Request) { io.ReadAll(r.Body) })
}

func TestNetHttpBodyClose(t *testing.T) {
	serve(t, func(w http.ResponseWriter, r *http.Request) { r.Body.Close() })
}

// serve2 is serve by HTTP/2.
func serve2(t *testing.T, f http.HandlerFunc) {
	s := httptest.NewUnstartedServer(f)
	s.EnableHTTP2 = true
	s.StartTLS()
	resp, err := s.Client().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if resp.ProtoMajor != 2 {
		t.Error("expected HTTP/2, found", resp.Proto)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	s.Close()
}

// HTTP/2 is a part of net/http up to Go 1.26, and a package of its own since.
func TestNetHttpHttp2responseWriterWrite(t *testing.T)               { write2(t) }
func TestNetHttpInternalHttp2ResponseWriterWrite(t *testing.T)       { write2(t) }
func TestNetHttpHttp2responseWriterHandlerDone(t *testing.T)         { done2(t) }
func TestNetHttpInternalHttp2ResponseWriterHandlerDone(t *testing.T) { done2(t) }

func write2(t *testing.T) {
	serve2(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
}

func done2(t *testing.T) { serve2(t, func(w http.ResponseWriter, r *http.Request) {}) }

func TestNetConnRead(t *testing.T) {
	a, b := socket(t)
	b.Write([]byte("x"))
	a.Read(make([]byte, 1))
}

func TestNetConnWrite(t *testing.T) {
	a, _ := socket(t)
	a.Write([]byte("x"))
}

func TestNetConnClose(t *testing.T) {
	a, _ := socket(t)
	a.Close()
}

// A store is a database without rows.
type store struct{}

func (store) Open(string) (driver.Conn, error)           { return store{}, nil }
func (store) Prepare(string) (driver.Stmt, error)        { return store{}, nil }
func (store) Begin() (driver.Tx, error)                  { return store{}, nil }
func (store) Exec([]driver.Value) (driver.Result, error) { return driver.RowsAffected(1), nil }
func (store) Query([]driver.Value) (driver.Rows, error)  { return store{}, nil }
func (store) NumInput() int                              { return 0 }
func (store) Commit() error                              { return nil }
func (store) Rollback() error                            { return nil }
func (store) Columns() []string                          { return []string{"id"} }
func (store) Next([]driver.Value) error                  { return io.EOF }
func (store) Close() error                               { return nil }

func init() { sql.Register("store", store{}) }

func openStore(t *testing.T) *sql.DB {
	db, err := sql.Open("store", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func begin(t *testing.T) *sql.Tx {
	tx, err := openStore(t).Begin()
	if err != nil {
		t.Fatal(err)
	}
	return tx
}

func query(t *testing.T) *sql.Rows {
	rows, err := openStore(t).Query("SELECT")
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func prepare(t *testing.T) *sql.Stmt {
	stmt, err := openStore(t).Prepare("INSERT")
	if err != nil {
		t.Fatal(err)
	}
	return stmt
}

func TestDatabaseSqlTxGrabConn(t *testing.T) { begin(t).Exec("INSERT") }
func TestDatabaseSqlTxCommit(t *testing.T)   { begin(t).Commit() }
func TestDatabaseSqlTxRollback(t *testing.T) { begin(t).Rollback() }

func TestDatabaseSqlRowsNext(t *testing.T) {
	rows := query(t)
	for rows.Next() {
	}
}

func TestDatabaseSqlRowsScan(t *testing.T)     { query(t).Scan() }
func TestDatabaseSqlRowsClose(t *testing.T)    { query(t).Close() }
func TestDatabaseSqlStmtConnStmt(t *testing.T) { prepare(t).Exec() }
func TestDatabaseSqlStmtClose(t *testing.T)    { prepare(t).Close() }

func TestOsFileRead(t *testing.T)  { openFile(t).Read(make([]byte, 1)) }
func TestOsFileWrite(t *testing.T) { openFile(t).WriteString("x") }
func TestOsFileClose(t *testing.T) { openFile(t).Close() }

func openFile(t *testing.T) *os.File {
	f, err := os.Create(filepath.Join(t.TempDir(), "file"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

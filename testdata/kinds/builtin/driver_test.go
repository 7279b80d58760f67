package builtin

import (
	"database/sql"
	"database/sql/driver"
	"io"
	"testing"
)

// A database has three rows and takes any statement.
type database struct{}

func (database) Open(string) (driver.Conn, error)           { return database{}, nil }
func (database) Prepare(string) (driver.Stmt, error)        { return database{}, nil }
func (database) Begin() (driver.Tx, error)                  { return database{}, nil }
func (database) Exec([]driver.Value) (driver.Result, error) { return driver.RowsAffected(1), nil }
func (database) Query([]driver.Value) (driver.Rows, error)  { return &rows{3}, nil }
func (database) NumInput() int                              { return 0 }
func (database) Commit() error                              { return nil }
func (database) Rollback() error                            { return nil }
func (database) Close() error                               { return nil }

type rows struct{ left int }

func (*rows) Columns() []string { return []string{"id"} }
func (*rows) Close() error      { return nil }

func (r *rows) Next(row []driver.Value) error {
	if r.left == 0 {
		return io.EOF
	}
	r.left--
	row[0] = int64(r.left)
	return nil
}

func init() { sql.Register("rows", database{}) }

func open(t *testing.T) *sql.DB {
	db, err := sql.Open("rows", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

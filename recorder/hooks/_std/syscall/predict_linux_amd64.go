package syscall

// Some processors have further forms of these calls.
const predictSelect, predictPoll = SYS_SELECT, SYS_POLL

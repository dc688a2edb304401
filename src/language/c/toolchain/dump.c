/* Linked into what is measured: a test that crashes, or is cut, still tells what it executed. */
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

extern void __gcov_dump(void);

static void tell(int number) {
    signal(number, SIG_DFL);
    __gcov_dump();
    raise(number);
}

__attribute__((constructor)) static void prepare(void) {
    static const int ends[] = {SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGTERM};
    static char stack[65536];
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_handler = tell, .sa_flags = SA_ONSTACK | SA_NODEFER};
    const char *seconds = getenv("UNIDEBUG_COVERAGE_SECONDS");
    sigaltstack(&other, 0);
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        sigaction(ends[i], &action, 0);
    }
    if (seconds) {
        alarm((unsigned)atoi(seconds));
    }
}

/* What the two halves of the verbs agent share: agent.c reads calls and says what happens, verbs.c does it. */
#ifndef AGENT_H
#define AGENT_H

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Codes of errors (agents/README.md). */
enum { UNSUPPORTED = 1, UNKNOWN = 2, REFUSED = 3, LIMIT = 4 };
enum { NO_JSON = -32700, NO_CALL = -32600, NO_METHOD = -32601, NO_PARAMS = -32602 };

struct session {                 /* a control connection */
	int fd;
	struct sockaddr_storage runner;
	char *in;                /* what came and is not carried out yet */
	size_t length, room;
	json_t *heard;           /* the agent's own session, without a connection, keeps its events here */
};

/* agent.c. Parameters were checked; one that is not there is the usual text or number, or 0, or false. */
void fatal(const char *what) __attribute__((noreturn));
void *allocate(size_t size);
void happened(struct session *session, const char *stream, const char *event, json_t *fields);
void *refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
json_t *call(struct session *session, const char *method, json_t *params);
const char *text_of(json_t *params, const char *key, const char *usual);
uint64_t number_of(json_t *params, const char *key, uint64_t usual);
uint64_t word_of(json_t *params, const char *key);
bool flag_of(json_t *params, const char *key);
bool has(json_t *params, const char *key, const char *word);
json_t *hex(const void *bytes, size_t length);
char *unhex(const char *text, size_t *length);
void place_of(const struct sockaddr *address, char *text, size_t size);

/* verbs.c: the device. It waits at these files, and for so many milliseconds. */
enum { DEVICE_FDS = 3 };
const char *device_open(const char *address, const char *port, const char *folder, struct pollfd fds[DEVICE_FDS]);
void device_try(const char *address, const char *port);
int device_patience(void);
void device_step(void);

/* verbs.c: the methods. Each gives a result, or NULL when it has refused. */
typedef json_t *method(struct session *session, json_t *params);
method capabilities, reset, register_memory, bind_window, invalidate, revalidate, deregister, read_memory, write_memory,
	recall, post_receives, post, open_stream, prepare, finish, abort_stream;

#endif

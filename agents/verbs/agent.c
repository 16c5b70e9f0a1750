/*
 * A verbs agent: does what a conformance runner asks (agents/README.md), with librdmacm and libibverbs.
 * One thread; everything that waits is in one poll. This file has the control connections: it reads calls, checks
 * their parameters, and says what happens. verbs.c has the device.
 */
#define _GNU_SOURCE
#include "agent.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SESSIONS = 16, LONGEST_LINE = 40 << 20, PIECE = 65536 };

static struct session *sessions[SESSIONS];
static int error_code;
static char error_text[256];

void fatal(const char *what)
{
	fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
	exit(1);
}

void *allocate(size_t size)
{
	void *it = calloc(1, size);
	if (!it)
		fatal("no memory");
	return it;
}

/* ---- What is said ---- */

/* Sends a line, and takes the message over. A runner that does not read for too long is given up. */
static void say(struct session *session, json_t *message)
{
	char *line = json_dumps(message, JSON_COMPACT | JSON_PRESERVE_ORDER);
	size_t length = line ? strlen(line) : 0, sent = 0;
	json_decref(message);
	if (line)
		line[length++] = '\n';           /* where the end of the string was */
	while (sent < length) {
		ssize_t count = send(session->fd, line + sent, length - sent, MSG_NOSIGNAL);
		if (count <= 0) {
			shutdown(session->fd, SHUT_RDWR);
			break;
		}
		sent += count;
	}
	free(line);
}

/* Says an event of a stream, and takes its fields over. Nobody hears of a stream without a session. */
void happened(struct session *session, const char *stream, const char *event, json_t *fields)
{
	json_t *params = json_pack("{ss ss}", "stream", stream, "event", event);
	json_object_update(params, fields);
	json_decref(fields);
	if (session && session->heard)
		json_array_append(session->heard, params);
	else if (session)
		say(session, json_pack("{ss ss sO}", "jsonrpc", "2.0", "method", "event", "params", params));
	json_decref(params);
}

/* Notes why a call is not carried out. */
void *refuse(int code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	error_code = code;
	vsnprintf(error_text, sizeof error_text, format, arguments);
	va_end(arguments);
	return NULL;
}

/* ---- Values ---- */

const char *text_of(json_t *params, const char *key, const char *usual)
{
	const char *text = json_string_value(json_object_get(params, key));
	return text ? text : usual;
}

uint64_t number_of(json_t *params, const char *key, uint64_t usual)
{
	json_t *value = json_object_get(params, key);
	return json_is_integer(value) ? (uint64_t)json_integer_value(value) : usual;
}

uint64_t word_of(json_t *params, const char *key)
{
	return strtoull(text_of(params, key, "0"), NULL, 16);
}

bool flag_of(json_t *params, const char *key)
{
	return json_is_true(json_object_get(params, key));
}

/* Whether a set has a word. */
bool has(json_t *params, const char *key, const char *word)
{
	json_t *each;
	size_t i;
	json_array_foreach(json_object_get(params, key), i, each)
		if (!strcmp(json_string_value(each), word))
			return true;
	return false;
}

json_t *hex(const void *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char *text = allocate(2 * length + 1);
	json_t *value;
	for (size_t i = 0; i < length; i++) {
		text[2 * i] = digits[((const unsigned char *)bytes)[i] >> 4];
		text[2 * i + 1] = digits[((const unsigned char *)bytes)[i] & 15];
	}
	value = json_stringn(text, 2 * length);
	free(text);
	return value;
}

static int digit(char digit)
{
	return isdigit((unsigned char)digit) ? digit - '0' : tolower((unsigned char)digit) - 'a' + 10;
}

/* The bytes of pairs of hexadecimal digits. */
char *unhex(const char *text, size_t *length)
{
	char *bytes = allocate(strlen(text) / 2 + 1);
	*length = strlen(text) / 2;
	for (size_t i = 0; i < *length; i++)
		bytes[i] = digit(text[2 * i]) << 4 | digit(text[2 * i + 1]);
	return bytes;
}

/* Writes an address and port: 192.0.2.7:7174 or [2001:db8::7]:7174. */
void place_of(const struct sockaddr *address, char *text, size_t size)
{
	char host[INET6_ADDRSTRLEN];
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
	const struct sockaddr_in *four = (const struct sockaddr_in *)address;
	bool is_six = address->sa_family == AF_INET6;
	inet_ntop(address->sa_family, is_six ? (const void *)&six->sin6_addr : &four->sin_addr, host, sizeof host);
	snprintf(text, size, is_six ? "[%s]:%u" : "%s:%u", host, ntohs(is_six ? six->sin6_port : four->sin_port));
}

/* ---- Calls ---- */

/* What parameters are, by their names: of the same name, they are the same in every method. */
enum kind { TEXT, BOOLEAN, U8, U16, U32, U63, WORD, BYTES, HOST, PLACE, ONE_OF, SOME_OF };

static const struct {
	const char *names;
	enum kind kind;
	const char *words;
} parameters[] = {
	{ "region of stream", TEXT, NULL },
	{ "enhanced markers crc peer_to_peer reject fall_back half_open", BOOLEAN, NULL },
	{ "revision", U8, NULL },
	{ "port ird ord required_ord longest_ulpdu", U16, NULL },
	{ "stag invalidate_stag count size protection_domain receives receive_size delay", U32, NULL },
	{ "length offset identifier", U63, NULL },
	{ "base to data mask compare_data compare_mask", WORD, NULL },
	{ "bytes payload private_data", BYTES, NULL },
	{ "address", HOST, NULL },
	{ "from", PLACE, NULL },
	{ "hash", TEXT, NULL },          /* no target with verbs has hashes: it is refused */
	{ "rights", SOME_OF, "read write atomic flush_persistence flush_visibility verify" },
	{ "scope", ONE_OF, "protection_domain stream other_protection_domain" },
	{ "backing", ONE_OF, "memory file failing" },
	{ "ready_to_receive", SOME_OF, "send write read" },
	{ "packing", ONE_OF, "own_segment shared anywhere" },
	{ "profile", ONE_OF, "rfc5040 rfc7306 ext-v2 commit all" },
	{ "operation", ONE_OF, "send immediate_data rdma_write rdma_read rdma_read_v2 atomic flush verify atomic_write" },
	{ "flags", SOME_OF, "fence solicited invalidate immediate persistence visibility compare" },
	{ "atomic", ONE_OF, "fetch_add swap cmp_swap" },
};

#define OPTIONS "revision enhanced markers crc peer_to_peer ready_to_receive ird ord required_ord private_data " \
	"protection_domain longest_ulpdu packing profile receives receive_size reject delay fall_back half_open"

static const struct {
	const char *name;
	method *does;
	const char *needed, *others;
} methods[] = {
	{ "capabilities", capabilities, "", "" },
	{ "reset", reset, "", "" },
	{ "register", register_memory, "region length rights", "base scope stream backing hash" },
	{ "bind_window", bind_window, "region of offset length rights", "base scope stream" },
	{ "invalidate", invalidate, "region", "" },
	{ "revalidate", revalidate, "region rights", "" },
	{ "deregister", deregister, "region", "" },
	{ "read_memory", read_memory, "region offset length", "" },
	{ "write_memory", write_memory, "region offset bytes", "" },
	{ "recall", recall, "region", "" },
	{ "post_receives", post_receives, "stream count size identifier", "region offset" },
	{ "post", post, "stream identifier operation", "flags payload region offset length stag to atomic data mask "
	  "compare_data compare_mask invalidate_stag hash" },
	{ "open", open_stream, "stream port", "address " OPTIONS },
	{ "prepare", prepare, "stream from", OPTIONS },
	{ "finish", finish, "stream", "" },
	{ "abort", abort_stream, "stream", "" },
};

/* Whether a word is in a list with a space between two. */
static bool listed(const char *list, const char *word)
{
	size_t length = word ? strcspn(word, " ") : 0;
	for (const char *at = list; length && !word[length] && (at = strstr(at, word)); at++)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

static bool is_hex(const char *text)
{
	return strspn(text, "0123456789abcdefABCDEF") == strlen(text);
}

static bool is_host(const char *text)
{
	struct in6_addr address;
	return inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1;
}

/* Whether it is an address and a port. */
static bool is_place(const char *text)
{
	char host[INET6_ADDRSTRLEN];
	unsigned port;
	int end = 0;
	if (sscanf(text, "%15[0-9.]:%5u%n", host, &port, &end) != 2)
		sscanf(text, "[%45[0-9a-fA-F:.]]:%5u%n", host, &port, &end);
	return end && !text[end] && port <= UINT16_MAX && is_host(host);
}

static bool fits(json_t *value, enum kind kind, const char *words)
{
	static const json_int_t most[] = { [U8] = UINT8_MAX, [U16] = UINT16_MAX, [U32] = UINT32_MAX, [U63] = INT64_MAX };
	const char *text = json_string_value(value);
	json_t *each;
	size_t i;
	if (kind >= U8 && kind <= U63)
		return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= most[kind];
	if (kind == BOOLEAN)
		return json_is_boolean(value);
	if (kind == SOME_OF) {
		json_array_foreach(value, i, each)
			if (!listed(words, json_string_value(each)))
				return false;
		return json_is_array(value);
	}
	switch (text ? kind : SOME_OF) {
	case TEXT: return true;
	case WORD: return !strncmp(text, "0x", 2) && text[2] && is_hex(text + 2) && strlen(text) <= 18;
	case BYTES: return is_hex(text) && strlen(text) % 2 == 0;
	case HOST: return is_host(text);
	case PLACE: return is_place(text);
	case ONE_OF: return listed(words, text);
	default: return false;
	}
}

/* Whether parameters are those of a method; refuses otherwise. */
static bool checked(json_t *params, const char *needed, const char *others)
{
	char names[sizeof OPTIONS + 64], *rest = names, *name;
	const char *key;
	json_t *value;
	size_t i;
	snprintf(names, sizeof names, "%s", needed);
	while ((name = strsep(&rest, " ")))
		if (*name && !json_object_get(params, name))
			return refuse(NO_PARAMS, "%s is missing", name);
	json_object_foreach(params, key, value) {
		if (!listed(needed, key) && !listed(others, key))
			return refuse(NO_PARAMS, "there is no parameter %s", key);
		for (i = 0; !listed(parameters[i].names, key); i++)
			;
		if (!fits(value, parameters[i].kind, parameters[i].words) && (listed(needed, key) || !json_is_null(value)))
			return refuse(NO_PARAMS, "%s is not as it should be", key);
	}
	return !params || json_is_object(params) || json_is_null(params) || refuse(NO_PARAMS, "parameters are an object");
}

json_t *call(struct session *session, const char *method, json_t *params)
{
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (!strcmp(method, methods[i].name))
			return checked(params, methods[i].needed, methods[i].others) ? methods[i].does(session, params) : NULL;
	return refuse(NO_METHOD, "there is no method %s", method);
}

/* Carries out a line. What happened before is said first. */
static void line(struct session *session, const char *text, size_t length)
{
	json_error_t wrong;
	json_t *message = json_loadb(text, length, JSON_DECODE_ANY, &wrong), *id = json_object_get(message, "id"), *result;
	const char *method = text_of(message, "method", NULL);
	device_step();
	id = fits(id, U63, NULL) ? json_incref(id) : json_null();
	if (!message)
		result = refuse(NO_JSON, "%s", wrong.text);
	else if (strcmp(text_of(message, "jsonrpc", ""), "2.0") || !method || json_is_null(id))
		result = refuse(NO_CALL, "a call has jsonrpc \"2.0\", a number as id, and a method");
	else
		result = call(session, method, json_object_get(message, "params"));
	if (result)
		say(session, json_pack("{ss so so}", "jsonrpc", "2.0", "id", id, "result", result));
	else
		say(session, json_pack("{ss so s{si ss}}", "jsonrpc", "2.0", "id", id, "error", "code", error_code, "message",
				       error_text));
	json_decref(message);
}

/* ---- Control connections ---- */

/* Reads what came; false when the connection is over. */
static bool hear(struct session *session)
{
	char *start, *end;
	ssize_t count;
	if (session->room - session->length < PIECE) {
		if (session->room >= LONGEST_LINE || !(start = realloc(session->in, 2 * session->room + PIECE)))
			return false;
		session->in = start;
		session->room = 2 * session->room + PIECE;
	}
	count = recv(session->fd, session->in + session->length, session->room - session->length, 0);
	if (count <= 0)
		return false;
	session->length += count;
	for (start = session->in; (end = memchr(start, '\n', session->in + session->length - start)); start = end + 1)
		line(session, start, end - start);
	session->length -= start - session->in;
	memmove(session->in, start, session->length);
	return true;
}

static void begin(int fd)
{
	struct timeval patience = { .tv_sec = 5 };
	socklen_t size = sizeof sessions[0]->runner;
	int on = 1, place = 0;
	while (place < SESSIONS && sessions[place])
		place++;
	if (place == SESSIONS) {
		close(fd);
		return;
	}
	sessions[place] = allocate(sizeof *sessions[place]);
	sessions[place]->fd = fd;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	getpeername(fd, (struct sockaddr *)&sessions[place]->runner, &size);
}

/* Ends a session: nothing of it is left. */
static void over(int place)
{
	struct session *session = sessions[place];
	sessions[place] = NULL;
	reset(session, NULL);
	close(session->fd);
	free(session->in);
	free(session);
}

/* Listens for runners at a port of every address, or connects to a runner; -1 if that is not there now. */
static int control(const char *host, const char *port)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = host ? 0 : AI_PASSIVE }, *to;
	int fd, on = 1;
	if (getaddrinfo(host, port, &hints, &to))
		fatal("no such address for control");
	fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (!host && (bind(fd, to->ai_addr, to->ai_addrlen) || listen(fd, SESSIONS)))
		fatal("cannot listen for control");
	if (host && connect(fd, to->ai_addr, to->ai_addrlen)) {
		close(fd);
		fd = -1;
	}
	freeaddrinfo(to);
	return fd;
}

/* Waits for something to happen, and does what is to be done. */
static void turn(struct pollfd *fds, struct pollfd *listener)
{
	struct pollfd *each = listener + 1;
	int at, fd;
	for (at = 0; at < SESSIONS; at++)
		each[at] = (struct pollfd){ sessions[at] ? sessions[at]->fd : -1, POLLIN, 0 };
	poll(fds, DEVICE_FDS + 1 + SESSIONS, device_patience());
	device_step();
	for (at = 0; at < SESSIONS; at++)
		if (each[at].revents && !hear(sessions[at]))
			over(at);
	if (listener->revents && (fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		begin(fd);
}

int main(int argc, char **argv)
{
	char *address = NULL, *port = "7174", *control_port = "7175", *runner = NULL, *folder = NULL;
	struct pollfd fds[DEVICE_FDS + 1 + SESSIONS] = { 0 }, *listener = fds + DEVICE_FDS;
	int option, fd;
	while ((option = getopt(argc, argv, "a:p:c:r:f:")) != -1)
		switch (option) {
		case 'a': address = optarg; break;
		case 'p': port = optarg; break;
		case 'c': control_port = optarg; break;
		case 'r': runner = optarg; break;
		case 'f': folder = optarg; break;
		default: return 2;
		}
	if (!address || optind != argc || (runner && !strrchr(runner, ':'))) {
		fprintf(stderr, "usage: %s -a ADDRESS [-p PORT] [-c CONTROL_PORT | -r RUNNER:PORT] [-f FOLDER]\n", *argv);
		return 2;
	}
	if (runner)
		control_port = strrchr(runner, ':') + 1;
	*listener = (struct pollfd){ runner ? -1 : control(NULL, control_port), POLLIN, 0 };
	printf("listening at %s, control at port %s\n", device_open(address, port, folder, fds), control_port);
	device_try(address, port);
	fflush(stdout);
	if (runner)
		control_port[-1] = '\0';         /* what is before is the runner's host */
	for (;;) {
		if (runner && !sessions[0] && (fd = control(runner, control_port)) >= 0)
			begin(fd);
		turn(fds, listener);
	}
}

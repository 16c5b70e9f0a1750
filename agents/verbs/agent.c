/*
 * A verbs agent: does what a conformance runner asks (agents/README.md), with librdmacm and libibverbs.
 * One thread; everything that waits is in one poll. This file has the control connections: it reads calls,
 * checks their parameters, and says what happens. verbs.c has the device.
 */
#define _GNU_SOURCE
#include "agent.h"
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { SESSIONS = 16, LONGEST_LINE = 40 << 20, PIECE = 65536, BETWEEN_CALLS = 1000 };

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
	if (!line || session->fd < 0) {
		free(line);
		return;
	}
	line[length++] = '\n';
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
	if (session)
		say(session, json_pack("{ss ss sO}", "jsonrpc", "2.0", "method", "event", "params", params));
	json_decref(params);
}

json_t *refuse(int code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	error_code = code;
	vsnprintf(error_text, sizeof error_text, format, arguments);
	va_end(arguments);
	return NULL;
}

/* ---- Values ---- */

const char *text_of(json_t *params, const char *key)
{
	return json_string_value(json_object_get(params, key));
}

const char *text_or(json_t *params, const char *key, const char *usual)
{
	const char *text = text_of(params, key);
	return text ? text : usual;
}

uint64_t number_of(json_t *params, const char *key, uint64_t usual)
{
	json_t *value = json_object_get(params, key);
	return json_is_integer(value) ? (uint64_t)json_integer_value(value) : usual;
}

uint64_t word_of(json_t *params, const char *key)
{
	const char *text = text_of(params, key);
	return text ? strtoull(text, NULL, 16) : 0;
}

bool flag_of(json_t *params, const char *key)
{
	return json_is_true(json_object_get(params, key));
}

/* Whether a work request has a flag. */
bool has_flag(json_t *params, const char *flag)
{
	json_t *each;
	size_t i;
	json_array_foreach(json_object_get(params, "flags"), i, each)
		if (!strcmp(json_string_value(each), flag))
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

/* Reads an address and port. */
bool place_named(const char *name, struct sockaddr_storage *address)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV }, *found;
	const char *colon = strrchr(name, ':');
	size_t length = colon ? (size_t)(colon - name) : 0;
	bool six = length > 2 && name[0] == '[' && name[length - 1] == ']';
	char host[INET6_ADDRSTRLEN];
	if (!length || length >= sizeof host || strspn(colon + 1, "0123456789") != strlen(colon + 1) || !colon[1])
		return false;
	snprintf(host, sizeof host, "%.*s", (int)length - 2 * six, name + six);
	if ((!six && strchr(host, ':')) || getaddrinfo(host, colon + 1, &hints, &found))
		return false;
	memcpy(address, found->ai_addr, found->ai_addrlen);
	freeaddrinfo(found);
	return true;
}

/* ---- Calls ---- */

/* What a parameter is: below WORDS by its form, then one word of a list, then a set of such words. */
enum kind {
	TEXT, BOOLEAN, U8, U16, U32, U64, WORD, BYTES, HOST, PLACE,
	WORDS, SCOPE = WORDS, BACKING, HASH, PACKING, PROFILE, OPERATION, ATOMIC,
	SETS, RIGHTS = SETS, INDICATIONS, FLAGS
};

static const char *const words[] = {
	[SCOPE] = "protection_domain stream other_protection_domain",
	[BACKING] = "memory file failing",
	[HASH] = "crc32c sha256 blake3",
	[PACKING] = "own_segment shared anywhere",
	[PROFILE] = "rfc5040 rfc7306 ext-v2 commit all",
	[OPERATION] = "send immediate_data rdma_write rdma_read rdma_read_v2 atomic flush verify atomic_write",
	[ATOMIC] = "fetch_add swap cmp_swap",
	[RIGHTS] = "read write atomic flush_persistence flush_visibility verify",
	[INDICATIONS] = "send write read",
	[FLAGS] = "fence solicited invalidate immediate persistence visibility compare",
};

struct field {
	const char *name;
	enum kind kind;
	bool needed;
};

#define END { NULL, TEXT, false }
static const struct field none[] = { END };
static const struct field region_alone[] = { { "region", TEXT, true }, END };
static const struct field stream_alone[] = { { "stream", TEXT, true }, END };
static const struct field of_register[] = {
	{ "region", TEXT, true }, { "length", U64, true }, { "rights", RIGHTS, true }, { "base", WORD, false },
	{ "scope", SCOPE, false }, { "stream", TEXT, false }, { "backing", BACKING, false }, { "hash", HASH, false }, END
};
static const struct field of_bind_window[] = {
	{ "region", TEXT, true }, { "of", TEXT, true }, { "offset", U64, true }, { "length", U64, true },
	{ "rights", RIGHTS, true }, { "base", WORD, false }, { "scope", SCOPE, false }, { "stream", TEXT, false }, END
};
static const struct field of_revalidate[] = { { "region", TEXT, true }, { "rights", RIGHTS, true }, END };
static const struct field of_read_memory[] = {
	{ "region", TEXT, true }, { "offset", U64, true }, { "length", U64, true }, END
};
static const struct field of_write_memory[] = {
	{ "region", TEXT, true }, { "offset", U64, true }, { "bytes", BYTES, true }, END
};
static const struct field of_post_receives[] = {
	{ "stream", TEXT, true }, { "count", U32, true }, { "size", U32, true }, { "identifier", U64, true },
	{ "region", TEXT, false }, { "offset", U64, false }, END
};
static const struct field of_post[] = {
	{ "stream", TEXT, true }, { "identifier", U64, true }, { "operation", OPERATION, true }, { "flags", FLAGS, false },
	{ "payload", BYTES, false }, { "region", TEXT, false }, { "offset", U64, false }, { "length", U32, false },
	{ "stag", U32, false }, { "to", WORD, false }, { "atomic", ATOMIC, false }, { "data", WORD, false },
	{ "mask", WORD, false }, { "compare_data", WORD, false }, { "compare_mask", WORD, false },
	{ "invalidate_stag", U32, false }, { "hash", BYTES, false }, END
};
#define OPTIONS \
	{ "stream", TEXT, true }, { "revision", U8, false }, { "enhanced", BOOLEAN, false }, { "markers", BOOLEAN, false }, \
	{ "crc", BOOLEAN, false }, { "peer_to_peer", BOOLEAN, false }, { "ready_to_receive", INDICATIONS, false }, \
	{ "ird", U16, false }, { "ord", U16, false }, { "required_ord", U16, false }, { "private_data", BYTES, false }, \
	{ "protection_domain", U32, false }, { "longest_ulpdu", U16, false }, { "packing", PACKING, false }, \
	{ "profile", PROFILE, false }, { "receives", U32, false }, { "receive_size", U32, false }, \
	{ "reject", BOOLEAN, false }, { "delay", U32, false }, { "fall_back", BOOLEAN, false }, { "half_open", BOOLEAN, false }
static const struct field of_open[] = { { "address", HOST, false }, { "port", U16, true }, OPTIONS, END };
static const struct field of_prepare[] = { { "from", PLACE, true }, OPTIONS, END };

static const struct {
	const char *name;
	method *does;
	const struct field *fields;
} methods[] = {
	{ "capabilities", capabilities, none },
	{ "reset", reset, none },
	{ "register", register_memory, of_register },
	{ "bind_window", bind_window, of_bind_window },
	{ "invalidate", invalidate, region_alone },
	{ "revalidate", revalidate, of_revalidate },
	{ "deregister", deregister, region_alone },
	{ "read_memory", read_memory, of_read_memory },
	{ "write_memory", write_memory, of_write_memory },
	{ "recall", recall, region_alone },
	{ "post_receives", post_receives, of_post_receives },
	{ "post", post, of_post },
	{ "open", open_stream, of_open },
	{ "prepare", prepare, of_prepare },
	{ "finish", finish, stream_alone },
	{ "abort", abort_stream, stream_alone },
};

/* Whether a word is in a list of words with a space between two. */
static bool listed(const char *list, const char *word)
{
	size_t length = word ? strlen(word) : 0;
	for (const char *at = list; length && (at = strstr(at, word)); at++)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return !strchr(word, ' ');
	return false;
}

static bool is_hex(const char *text)
{
	return text && strspn(text, "0123456789abcdefABCDEF") == strlen(text);
}

static bool fits_number(json_t *value, json_int_t most)
{
	return json_is_integer(value) && json_integer_value(value) >= 0 && json_integer_value(value) <= most;
}

static bool fits(json_t *value, enum kind kind)
{
	const char *text = json_string_value(value);
	struct sockaddr_storage address;
	json_t *each;
	size_t i;
	switch (kind) {
	case TEXT: return text;
	case BOOLEAN: return json_is_boolean(value);
	case U8: return fits_number(value, UINT8_MAX);
	case U16: return fits_number(value, UINT16_MAX);
	case U32: return fits_number(value, UINT32_MAX);
	case U64: return fits_number(value, INT64_MAX);
	case WORD: return text && !strncmp(text, "0x", 2) && is_hex(text + 2) && text[2] && strlen(text) <= 18;
	case BYTES: return is_hex(text) && strlen(text) % 2 == 0;
	case HOST: return text && (inet_pton(AF_INET, text, &address) == 1 || inet_pton(AF_INET6, text, &address) == 1);
	case PLACE: return text && place_named(text, &address);
	default: break;
	}
	if (kind < SETS)
		return listed(words[kind], text);
	json_array_foreach(value, i, each)
		if (!listed(words[kind], json_string_value(each)))
			return false;
	return json_is_array(value);
}

/* Whether parameters are those of a method; refuses otherwise. */
static bool checked(const struct field *fields, json_t *params)
{
	const struct field *field;
	const char *key;
	json_t *value;
	for (field = fields; field->name; field++)
		if (field->needed && !json_object_get(params, field->name))
			return refuse(NO_PARAMS, "%s is missing", field->name);
	json_object_foreach(params, key, value) {
		for (field = fields; field->name && strcmp(field->name, key); field++)
			;
		if (!field->name)
			return refuse(NO_PARAMS, "there is no parameter %s", key);
		if (!fits(value, field->kind) && (field->needed || !json_is_null(value)))
			return refuse(NO_PARAMS, "%s is not as it should be", key);
	}
	return true;
}

json_t *call(struct session *session, const char *method, json_t *params)
{
	if (params && !json_is_object(params) && !json_is_null(params))
		return refuse(NO_PARAMS, "parameters are an object");
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (!strcmp(method, methods[i].name))
			return checked(methods[i].fields, params) ? methods[i].does(session, params) : NULL;
	return refuse(NO_METHOD, "there is no method %s", method);
}

/* Carries out a line. What happened before is said first. */
static void line(struct session *session, const char *text, size_t length)
{
	json_error_t wrong;
	json_t *message = json_loadb(text, length, JSON_DECODE_ANY, &wrong), *id = json_object_get(message, "id");
	const char *version = text_of(message, "jsonrpc"), *method = text_of(message, "method");
	json_t *result;
	device_step();
	id = fits_number(id, INT64_MAX) ? json_incref(id) : json_null();
	if (!message)
		result = refuse(NO_JSON, "%s", wrong.text);
	else if (!version || strcmp(version, "2.0") || !method || json_is_null(id))
		result = refuse(NO_CALL, "a call has jsonrpc \"2.0\", a number as id, and a method");
	else
		result = call(session, method, json_object_get(message, "params"));
	if (result)
		say(session, json_pack("{ss so so}", "jsonrpc", "2.0", "id", id, "result", result));
	else
		say(session, json_pack("{ss so s{si ss}}", "jsonrpc", "2.0", "id", id, "error", "code", error_code,
				       "message", error_text));
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
		return count < 0 && errno == EINTR;
	session->length += count;
	start = session->in;
	while ((end = memchr(start, '\n', session->in + session->length - start))) {
		line(session, start, end - start);
		start = end + 1;
	}
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
	json_decref(reset(session, NULL));
	close(session->fd);
	free(session->in);
	free(session);
}

/* Listens for runners at a port, or connects to a runner; -1 if it cannot be reached now. */
static int control(const char *host, const char *port, bool connects)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = connects ? 0 : AI_PASSIVE }, *to;
	int fd, on = 1;
	bool done;
	if (getaddrinfo(host, port, &hints, &to))
		fatal("no such address for control");
	fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (connects)
		done = !connect(fd, to->ai_addr, to->ai_addrlen);
	else
		done = !bind(fd, to->ai_addr, to->ai_addrlen) && !listen(fd, SESSIONS);
	freeaddrinfo(to);
	if (!done && !connects)
		fatal("cannot listen for control");
	if (!done)
		close(fd);
	return done ? fd : -1;
}

/* Connects to the runner at HOST:PORT, if that can be. */
static void connect_to(const char *runner)
{
	const char *colon = strrchr(runner, ':');
	char host[256];
	int fd;
	if (!colon)
		fatal("-r takes HOST:PORT");
	snprintf(host, sizeof host, "%.*s", (int)(colon - runner), runner);
	if ((fd = control(host, colon + 1, true)) >= 0)
		begin(fd);
}

/* Waits for something to happen, and does what is to be done. */
static void turn(int listener, const char *runner)
{
	struct pollfd fds[DEVICE_FDS + 1 + SESSIONS];
	int device[DEVICE_FDS], at, fd, patience = device_patience();
	struct pollfd *own = fds + DEVICE_FDS + 1;
	if (runner && !sessions[0])
		connect_to(runner);
	device_fds(device);
	for (at = 0; at < DEVICE_FDS; at++)
		fds[at] = (struct pollfd){ device[at], POLLIN, 0 };
	fds[DEVICE_FDS] = (struct pollfd){ listener, POLLIN, 0 };
	for (at = 0; at < SESSIONS; at++)
		own[at] = (struct pollfd){ sessions[at] ? sessions[at]->fd : -1, POLLIN, 0 };
	poll(fds, DEVICE_FDS + 1 + SESSIONS, patience < BETWEEN_CALLS ? patience : BETWEEN_CALLS);
	device_step();
	for (at = 0; at < SESSIONS; at++)
		if (own[at].revents && !hear(sessions[at]))
			over(at);
	if (fds[DEVICE_FDS].revents && (fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)) >= 0)
		begin(fd);
}

int main(int argc, char **argv)
{
	const char *address = NULL, *port = "7174", *control_port = "7175", *runner = NULL, *folder = NULL;
	int option, listener = -1;
	while ((option = getopt(argc, argv, "a:p:c:r:f:")) != -1)
		switch (option) {
		case 'a': address = optarg; break;
		case 'p': port = optarg; break;
		case 'c': control_port = optarg; break;
		case 'r': runner = optarg; break;
		case 'f': folder = optarg; break;
		default: address = NULL; optind = argc + 1;
		}
	if (!address || optind != argc) {
		fprintf(stderr, "usage: %s -a ADDRESS [-p PORT] [-c CONTROL_PORT | -r RUNNER:PORT] [-f FOLDER]\n", *argv);
		return 2;
	}
	device_open(address, port, folder);
	device_try();
	if (!runner)
		listener = control(NULL, control_port, false);
	printf("listening at %s, control at %s\n", device_listens(), runner ? runner : control_port);
	fflush(stdout);
	for (;;)
		turn(listener, runner);
}

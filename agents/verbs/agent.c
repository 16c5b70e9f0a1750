/*
 * A verbs agent: does what a conformance runner asks (agents/README.md), with librdmacm and libibverbs.
 * One thread; everything that waits is in one poll.
 *
 *   agent -a ADDRESS [-p PORT] [-c CONTROL_PORT | -r RUNNER:PORT]
 *
 * What the device cannot do is missing in the capabilities; nothing is pretended.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { UNSUPPORTED = 1, UNKNOWN = 2, REFUSED = 3, LIMIT = 4, NO_METHOD = -32601, NO_PARAMS = -32602 };
enum { SESSIONS = 64, WORK = 512, RECEIVES = 1024, DOMAINS = 8, LONGEST = 16 << 20, NAME = 64 };

struct session {                 /* a control connection */
	int fd;
	struct sockaddr_storage runner;
	char *in;
	size_t length, room;
};

struct region {
	struct region *next;
	struct session *session;
	char name[NAME];
	char *bytes;
	size_t length;
	int access, domain;
	struct ibv_mr *mr, *sink;    /* for the peer; for RDMA Reads of our own */
};

struct stream {
	struct stream *next;
	struct session *session;
	char name[NAME];
	struct rdma_cm_id *id;
	bool prepared, up, finishing;
	int64_t due;                 /* when a request is answered, in milliseconds; 0: at once */
	unsigned posted;             /* receives and work that are not complete */
	json_t *options;
	char from[80];
};

struct work {                    /* the wr_id of a receive or work request */
	struct stream *stream;
	uint64_t identifier;
	const char *operation;
	bool receive;
	char *bytes;                 /* of the agent's own */
	struct ibv_mr *mr;
	char *place;                 /* where a message goes */
};

static struct session *sessions[SESSIONS];
static struct region *regions;
static struct stream *streams;
static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener;
static struct ibv_context *device;
static struct ibv_device_attr limits;
static struct ibv_pd *domains[DOMAINS];
static struct ibv_comp_channel *completions;
static struct ibv_cq *queue;
static char listens[80];

static void fatal(const char *what)
{
	fprintf(stderr, "agent: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* ---- JSON: lines, bytes, and errors ---- */

static void say(struct session *session, json_t *message)
{
	char *line;
	if (session->fd >= 0 && (line = json_dumps(message, JSON_COMPACT | JSON_PRESERVE_ORDER))) {
		size_t length = strlen(line), sent = 0;
		line[length++] = '\n';
		while (sent < length) {
			ssize_t count = send(session->fd, line + sent, length - sent, MSG_NOSIGNAL);
			if (count <= 0)
				break;
			sent += count;
		}
		free(line);
	}
	json_decref(message);
}

/* Takes the fields over. */
static void happened(struct stream *stream, const char *event, json_t *fields)
{
	json_t *params = json_pack("{ss ss}", "stream", stream->name, "event", event);
	if (fields) {
		json_object_update(params, fields);
		json_decref(fields);
	}
	if (!stream->session) {
		json_decref(params);
		return;
	}
	say(stream->session, json_pack("{ss ss so}", "jsonrpc", "2.0", "method", "event", "params", params));
}

static json_t *hex(const void *bytes, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * length + 1);
	json_t *value;
	for (size_t i = 0; i < length; i++) {
		text[2 * i] = digits[((const unsigned char *)bytes)[i] >> 4];
		text[2 * i + 1] = digits[((const unsigned char *)bytes)[i] & 15];
	}
	value = json_stringn(text, 2 * length);
	free(text);
	return value;
}

/* The bytes of a string of hexadecimal digits; NULL if it is none. */
static char *unhex(const char *text, size_t *length)
{
	size_t digits = strlen(text);
	char *bytes = malloc(digits / 2 + 1);
	*length = digits / 2;
	for (size_t i = 0; i < *length; i++) {
		unsigned byte;
		if (digits % 2 || sscanf(text + 2 * i, "%2x", &byte) != 1) {
			free(bytes);
			return NULL;
		}
		bytes[i] = byte;
	}
	return bytes;
}

static int error_code;
static char error_text[256];

__attribute__((format(printf, 2, 3))) static json_t *refuse(int code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	error_code = code;
	vsnprintf(error_text, sizeof error_text, format, arguments);
	va_end(arguments);
	return NULL;
}

/* What failed, with the system's reason. */
static json_t *failed(const char *what)
{
	int code = errno == EOPNOTSUPP || errno == ENOSYS ? UNSUPPORTED : REFUSED;
	return refuse(code, "%s: %s", what, strerror(errno));
}

/* ---- Memory ---- */

static struct region *region_of(struct session *session, const char *name)
{
	for (struct region *it = regions; it; it = it->next)
		if (it->session == session && !strcmp(it->name, name))
			return it;
	refuse(UNKNOWN, "there is no region %s", name);
	return NULL;
}

static struct ibv_pd *domain(int number)
{
	if (number < 0 || number >= DOMAINS)
		return NULL;
	if (!domains[number])
		domains[number] = ibv_alloc_pd(device);
	return domains[number];
}

static int access_of(json_t *rights)
{
	int access = IBV_ACCESS_LOCAL_WRITE;
	size_t i;
	json_t *right;
	json_array_foreach(rights, i, right) {
		const char *name = json_string_value(right);
		if (!strcmp(name, "read"))
			access |= IBV_ACCESS_REMOTE_READ;
		else if (!strcmp(name, "write"))
			access |= IBV_ACCESS_REMOTE_WRITE;
		else if (!strcmp(name, "atomic") && limits.atomic_cap != IBV_ATOMIC_NONE)
			access |= IBV_ACCESS_REMOTE_ATOMIC;
		else
			return -1;
	}
	return access;
}

static json_t *described(struct region *region)
{
	char base[24];
	snprintf(base, sizeof base, "0x%" PRIxPTR, (uintptr_t)region->bytes);
	return json_pack("{sI ss sI}", "stag", (json_int_t)region->mr->rkey, "base", base, "length",
			 (json_int_t)region->length);
}

static json_t *register_memory(struct session *session, json_t *params)
{
	const char *name, *base = NULL, *scope = "protection_domain", *stream = NULL, *backing = "memory",
			 *hash = NULL;
	json_int_t length;
	json_t *rights;
	json_error_t error;
	struct region *it;
	int access;
	if (json_unpack_ex(params, &error, JSON_STRICT, "{ss sI so s?s s?s s?s s?s s?s}", "region", &name,
			   "length", &length, "rights", &rights, "base", &base, "scope", &scope, "stream",
			   &stream, "backing", &backing, "hash", &hash))
		return refuse(NO_PARAMS, "%s", error.text);
	if (region_of(session, name))
		return refuse(REFUSED, "there is a region %s already", name);
	if (base || hash || strcmp(backing, "memory") || !strcmp(scope, "stream"))
		return refuse(UNSUPPORTED, "regions are of memory, where it lies, of a Protection Domain");
	if ((access = access_of(rights)) < 0)
		return refuse(UNSUPPORTED, "the device has no such right");
	if (length < 0 || length > 1 << 30 || strlen(name) >= NAME)
		return refuse(LIMIT, "at most 1 GiB, with a name of %d bytes", NAME - 1);
	it = calloc(1, sizeof *it);
	it->session = session;
	strcpy(it->name, name);
	it->length = length;
	it->access = access;
	it->domain = strcmp(scope, "other_protection_domain") ? 1 : DOMAINS - 1;
	if (posix_memalign((void **)&it->bytes, 4096, length + 1))
		it->bytes = NULL;
	if (it->bytes)
		memset(it->bytes, 0, length + 1);
	if (!it->bytes || !(it->mr = ibv_reg_mr(domain(it->domain), it->bytes, length, access))) {
		free(it->bytes);
		free(it);
		return failed("the device registers no such memory");
	}
	it->next = regions;
	regions = it;
	return described(it);
}

static json_t *deregister(struct region *region)
{
	if (region->sink && !ibv_dereg_mr(region->sink))
		region->sink = NULL;
	if (region->mr && ibv_dereg_mr(region->mr))
		return failed("it stays registered");
	for (struct region **it = &regions; *it; it = &(*it)->next)
		if (*it == region) {
			*it = region->next;
			break;
		}
	free(region->bytes);
	free(region);
	return json_null();
}

static json_t *memory(struct session *session, json_t *params, bool write)
{
	const char *name, *text = NULL;
	json_int_t offset, length = 0;
	json_error_t error;
	struct region *region;
	size_t count;
	char *bytes;
	if (json_unpack_ex(params, &error, JSON_STRICT, write ? "{ss sI ss}" : "{ss sI sI}", "region", &name,
			   "offset", &offset, write ? "bytes" : "length", write ? (void *)&text : (void *)&length))
		return refuse(NO_PARAMS, "%s", error.text);
	if (!(region = region_of(session, name)))
		return NULL;
	if (write) {
		if (!(bytes = unhex(text, &count)))
			return refuse(NO_PARAMS, "bytes are pairs of hexadecimal digits");
	} else {
		bytes = NULL;
		count = length;
	}
	if (offset < 0 || length < 0 || (size_t)offset > region->length || count > region->length - offset) {
		free(bytes);
		return refuse(UNKNOWN, "the region has %zu bytes", region->length);
	}
	if (!write)
		return hex(region->bytes + offset, count);
	memcpy(region->bytes + offset, bytes, count);
	free(bytes);
	return json_null();
}

/* ---- Streams ---- */

static struct stream *stream_of(struct session *session, const char *name)
{
	for (struct stream *it = streams; it; it = it->next)
		if (it->session == session && !strcmp(it->name, name))
			return it;
	refuse(UNKNOWN, "there is no stream %s", name);
	return NULL;
}

static void place_of(const struct sockaddr *address, char *text, size_t size)
{
	char host[64];
	if (address->sa_family == AF_INET6) {
		const struct sockaddr_in6 *it = (const struct sockaddr_in6 *)address;
		inet_ntop(AF_INET6, &it->sin6_addr, host, sizeof host);
		snprintf(text, size, "[%s]:%u", host, ntohs(it->sin6_port));
	} else {
		const struct sockaddr_in *it = (const struct sockaddr_in *)address;
		inet_ntop(AF_INET, &it->sin_addr, host, sizeof host);
		snprintf(text, size, "%s:%u", host, ntohs(it->sin_port));
	}
}

static json_int_t number(struct stream *stream, const char *key, json_int_t usual)
{
	json_t *value = json_object_get(stream->options, key);
	return json_is_integer(value) ? json_integer_value(value) : usual;
}

static bool flag(struct stream *stream, const char *key)
{
	return json_is_true(json_object_get(stream->options, key));
}

static void free_work(struct work *work)
{
	if (work->mr)
		ibv_dereg_mr(work->mr);
	free(work->bytes);
	free(work);
}

/* Posts a receive; with a place, into a region. */
static bool receive(struct stream *stream, uint64_t identifier, size_t size, struct region *region, size_t offset)
{
	struct work *work = calloc(1, sizeof *work);
	struct ibv_sge part = { .length = size };
	struct ibv_recv_wr request = { .wr_id = (uintptr_t)work, .sg_list = &part, .num_sge = 1 }, *bad;
	*work = (struct work){ .stream = stream, .identifier = identifier, .operation = "receive", .receive = true };
	if (region) {
		work->place = region->bytes + offset;
		part.lkey = region->mr->lkey;
	} else {
		work->place = work->bytes = calloc(1, size + 1);
		work->mr = ibv_reg_mr(stream->id->qp->pd, work->bytes, size + 1, IBV_ACCESS_LOCAL_WRITE);
		part.lkey = work->mr ? work->mr->lkey : 0;
	}
	part.addr = (uintptr_t)work->place;
	if ((work->bytes && !work->mr) || (errno = ibv_post_recv(stream->id->qp, &request, &bad))) {
		free_work(work);
		return false;
	}
	stream->posted++;
	return true;
}

static struct stream *new_stream(struct session *session, json_t *options, bool prepared)
{
	struct stream *it = calloc(1, sizeof *it);
	it->session = session;
	it->options = json_incref(options);
	it->prepared = prepared;
	snprintf(it->name, NAME, "%s", json_string_value(json_object_get(options, "stream")) ?: "");
	it->next = streams;
	return streams = it;
}

static void drop(struct stream *stream)
{
	for (struct stream **it = &streams; *it; it = &(*it)->next)
		if (*it == stream) {
			*it = stream->next;
			break;
		}
	if (stream->id) {
		if (stream->id->qp)
			rdma_destroy_qp(stream->id);
		rdma_destroy_id(stream->id);
	}
	json_decref(stream->options);
	free(stream);
}

static bool equip(struct stream *stream)
{
	int pd = number(stream, "protection_domain", 1);
	struct ibv_qp_init_attr attributes = {
		.qp_type = IBV_QPT_RC, .send_cq = queue, .recv_cq = queue, .sq_sig_all = 1,
		.cap = { .max_send_wr = WORK, .max_recv_wr = RECEIVES, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	if (!domain(pd) || rdma_create_qp(stream->id, domain(pd), &attributes))
		return false;
	for (json_int_t i = 1; i <= number(stream, "receives", 0); i++)
		if (!receive(stream, i, number(stream, "receive_size", 0), NULL, 0))
			return false;
	return true;
}

static struct rdma_conn_param parameters(struct stream *stream)
{
	static char *data;
	size_t length = 0;
	const char *text = json_string_value(json_object_get(stream->options, "private_data"));
	struct rdma_conn_param it = { .retry_count = 7 };
	json_int_t ird = number(stream, "ird", 16), ord = number(stream, "ord", 16);
	free(data);
	data = text ? unhex(text, &length) : NULL;
	it.private_data = data;
	it.private_data_len = length;
	it.responder_resources = ird < limits.max_qp_rd_atom ? ird : limits.max_qp_rd_atom;
	it.initiator_depth = ord < limits.max_qp_init_rd_atom ? ord : limits.max_qp_init_rd_atom;
	return it;
}

/* Whether the options of a stream can be followed. */
static bool can(json_t *options)
{
	static const char *devices[] = { "half_open", "revision", "enhanced", "markers", "crc", "peer_to_peer",
		"ready_to_receive", "longest_ulpdu", "packing", "profile", "required_ord" };
	const char *name = json_string_value(json_object_get(options, "stream"));
	const char *data = json_string_value(json_object_get(options, "private_data"));
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
		json_t *asked = json_object_get(options, devices[i]);
		if (asked && !json_is_false(asked) && !(i == 9 && !strcmp(json_string_value(asked), "rfc5040"))) {
			refuse(UNSUPPORTED, "%s is the device's choice", devices[i]);
			return false;
		}
	}
	if (json_is_true(json_object_get(options, "fall_back"))) {
		refuse(UNSUPPORTED, "fall_back is the device's choice");
		return false;
	}
	if (!name || strlen(name) >= NAME) {
		refuse(NO_PARAMS, "a stream has a name of at most %d bytes", NAME - 1);
		return false;
	}
	if (data && strlen(data) > 2 * 255) {
		refuse(LIMIT, "at most 255 bytes of private data");
		return false;
	}
	return true;
}

static json_t *prepare(struct session *session, json_t *params)
{
	const char *from = json_string_value(json_object_get(params, "from"));
	struct stream *stream;
	if (!from || !can(params))
		return from ? NULL : refuse(NO_PARAMS, "prepare takes `from`");
	if (stream_of(session, json_string_value(json_object_get(params, "stream"))))
		return refuse(REFUSED, "there is such a stream already");
	stream = new_stream(session, params, true);
	snprintf(stream->from, sizeof stream->from, "%s", from);
	return json_null();
}

static json_t *open_stream(struct session *session, json_t *params)
{
	const char *address = json_string_value(json_object_get(params, "address"));
	char host[64], port[8];
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *to;
	struct stream *stream;
	int wrong;
	if (!can(params))
		return NULL;
	if (stream_of(session, json_string_value(json_object_get(params, "stream"))))
		return refuse(REFUSED, "there is such a stream already");
	if (!address) {
		getnameinfo((struct sockaddr *)&session->runner, sizeof session->runner, host, sizeof host, NULL, 0,
			    NI_NUMERICHOST);
		address = host;
	}
	snprintf(port, sizeof port, "%lld", (long long)json_integer_value(json_object_get(params, "port")));
	if (getaddrinfo(address, port, &hints, &to))
		return refuse(NO_PARAMS, "%s: no address", address);
	stream = new_stream(session, params, false);
	wrong = rdma_create_id(channel, &stream->id, stream, RDMA_PS_TCP) ||
		rdma_resolve_addr(stream->id, NULL, to->ai_addr, 2000);
	freeaddrinfo(to);
	if (wrong) {
		failed("the address cannot be resolved");
		drop(stream);
		return NULL;
	}
	return json_null();
}

static void completed(void);

/* Flushes what is posted, says that it is over, and drops the stream. */
static void ended(struct stream *stream)
{
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };
	int64_t until = now() + 500;
	if (stream->id && stream->id->qp) {
		ibv_modify_qp(stream->id->qp, &error, IBV_QP_STATE);
		while (stream->posted && now() < until)
			completed();
	}
	happened(stream, "ended", NULL);
	drop(stream);
}

static void setup_failed(struct stream *stream, const char *text)
{
	happened(stream, "setup_failed", json_pack("{ss}", "text", text));
	ended(stream);
}

/* Answers a request whose time has come. */
static void decide(struct stream *stream)
{
	struct rdma_conn_param param = parameters(stream);
	stream->due = 0;
	if (flag(stream, "reject")) {
		rdma_reject(stream->id, param.private_data, param.private_data_len);
		happened(stream, "rejected", NULL);
		ended(stream);
	} else if (!equip(stream) || rdma_accept(stream->id, &param)) {
		setup_failed(stream, strerror(errno));
	}
}

static void requested(struct rdma_cm_event *event)
{
	struct rdma_conn_param *param = &event->param.conn;
	struct stream *found = NULL, *any = NULL;
	char from[80];
	place_of(rdma_get_peer_addr(event->id), from, sizeof from);
	for (struct stream *it = streams; it; it = it->next)
		if (it->prepared) {
			any = it;                /* the list begins with the latest */
			if (!strcmp(it->from, from))
				found = it;
		}
	if (!found && !(found = any)) {
		json_t *none = json_object();
		found = new_stream(NULL, none, true);
		json_decref(none);
	}
	found->prepared = false;
	found->id = event->id;
	found->id->context = found;
	happened(found, "request", json_pack("{so}", "private_data", hex(param->private_data, param->private_data_len)));
	if (number(found, "delay", 0))
		found->due = now() + number(found, "delay", 0);
	else
		decide(found);
}

static void cm_event(struct rdma_cm_event *event)
{
	struct stream *stream = event->id->context;
	struct rdma_conn_param *conn = &event->param.conn, param;
	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		requested(event);
		return;
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(stream->id, 2000))
			setup_failed(stream, strerror(errno));
		return;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		param = parameters(stream);
		if (!equip(stream) || rdma_connect(stream->id, &param))
			setup_failed(stream, strerror(errno));
		return;
	case RDMA_CM_EVENT_ESTABLISHED:
		stream->up = true;
		happened(stream, "established", json_pack("{so}", "private_data", hex(conn->private_data, conn->private_data_len)));
		return;
	case RDMA_CM_EVENT_REJECTED:
		happened(stream, "rejected", json_pack("{so}", "private_data", hex(conn->private_data, conn->private_data_len)));
		ended(stream);
		return;
	case RDMA_CM_EVENT_DISCONNECTED:
		happened(stream, "peer_closed", NULL);
		if (stream->up)
			rdma_disconnect(stream->id);
		ended(stream);
		return;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE:
		setup_failed(stream, rdma_event_str(event->event));
		return;
	default:
		return;
	}
}

/* ---- Work ---- */

static json_t *post_receives(struct session *session, json_t *params)
{
	const char *name, *region_name = NULL;
	json_int_t count, size, identifier, offset = 0;
	json_error_t error;
	struct stream *stream;
	struct region *region = NULL;
	if (json_unpack_ex(params, &error, JSON_STRICT, "{ss sI sI sI s?s s?I}", "stream", &name, "count", &count,
			   "size", &size, "identifier", &identifier, "region", &region_name, "offset", &offset))
		return refuse(NO_PARAMS, "%s", error.text);
	if (!(stream = stream_of(session, name)) || (region_name && !(region = region_of(session, region_name))))
		return NULL;
	if (!stream->id || !stream->id->qp)
		return refuse(REFUSED, "the stream is not there yet");
	if (count > RECEIVES || size > LONGEST)
		return refuse(LIMIT, "at most %d receives of %d bytes", RECEIVES, LONGEST);
	if (region && (size_t)(offset + count * size) > region->length)
		return refuse(UNKNOWN, "the region has %zu bytes", region->length);
	for (json_int_t i = 0; i < count; i++)
		if (!receive(stream, identifier + i, size, region, offset + i * size))
			return failed("the receive is not posted");
	return json_null();
}

static uint64_t word(json_t *params, const char *key)
{
	const char *text = json_string_value(json_object_get(params, key));
	return text ? strtoull(text, NULL, 16) : 0;
}

static json_int_t integer(json_t *params, const char *key)
{
	return json_integer_value(json_object_get(params, key));
}

static json_t *post(struct session *session, json_t *params)
{
	const char *operation = json_string_value(json_object_get(params, "operation"));
	const char *name = json_string_value(json_object_get(params, "stream"));
	const char *payload = json_string_value(json_object_get(params, "payload"));
	const char *region_name = json_string_value(json_object_get(params, "region"));
	size_t length = integer(params, "length"), offset = integer(params, "offset");
	struct ibv_sge part = { .length = length };
	struct ibv_send_wr request = { .sg_list = &part, .num_sge = 1 }, *bad;
	struct region *region = NULL;
	struct stream *stream;
	struct work *work;
	json_t *it;
	size_t i;
	if (!operation || !name)
		return refuse(NO_PARAMS, "post takes `stream` and `operation`");
	if (!(stream = stream_of(session, name)) || (region_name && !(region = region_of(session, region_name))))
		return NULL;
	if (!stream->up)
		return refuse(REFUSED, "the stream is not up");
	request.wr.rdma.rkey = integer(params, "stag");
	request.wr.rdma.remote_addr = word(params, "to");
	if (!strcmp(operation, "send"))
		request.opcode = IBV_WR_SEND, operation = "send";
	else if (!strcmp(operation, "rdma_write"))
		request.opcode = IBV_WR_RDMA_WRITE, operation = "rdma_write";
	else if (!strcmp(operation, "rdma_read") && region)
		request.opcode = IBV_WR_RDMA_READ, operation = "rdma_read";
	else
		return refuse(UNSUPPORTED, "no %s here", operation);
	json_array_foreach(json_object_get(params, "flags"), i, it) {
		const char *flag = json_string_value(it);
		if (!strcmp(flag, "fence"))
			request.send_flags |= IBV_SEND_FENCE;
		else if (!strcmp(flag, "solicited"))
			request.send_flags |= IBV_SEND_SOLICITED;
		else if (!strcmp(flag, "invalidate") && request.opcode == IBV_WR_SEND)
			request.opcode = IBV_WR_SEND_WITH_INV, request.invalidate_rkey = integer(params, "invalidate_stag");
		else
			return refuse(UNSUPPORTED, "no %s here", flag);
	}
	work = calloc(1, sizeof *work);
	*work = (struct work){ .stream = stream, .identifier = integer(params, "identifier"), .operation = operation };
	request.wr_id = (uintptr_t)work;
	if (payload && request.opcode != IBV_WR_RDMA_READ) {
		if (!(work->bytes = unhex(payload, &length))) {
			free_work(work);
			return refuse(NO_PARAMS, "bytes are pairs of hexadecimal digits");
		}
		work->mr = ibv_reg_mr(stream->id->qp->pd, work->bytes, length + 1, IBV_ACCESS_LOCAL_WRITE);
		part = (struct ibv_sge){ (uintptr_t)work->bytes, length, work->mr ? work->mr->lkey : 0 };
	} else if (region) {
		struct ibv_mr *mr = region->mr;
		if (offset > region->length || length > region->length - offset) {
			free_work(work);
			return refuse(UNKNOWN, "the region has %zu bytes", region->length);
		}
		if (request.opcode == IBV_WR_RDMA_READ && !(region->access & IBV_ACCESS_REMOTE_WRITE)) {
			/* On iWARP the sink of a Read is written by the peer. */
			if (!region->sink)
				region->sink = ibv_reg_mr(mr->pd, region->bytes, region->length,
							  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
			mr = region->sink ? region->sink : mr;
		}
		part.addr = (uintptr_t)region->bytes + offset;
		part.lkey = mr->lkey;
	} else {
		request.num_sge = 0;
	}
	if ((work->bytes && !work->mr) || (errno = ibv_post_send(stream->id->qp, &request, &bad))) {
		free_work(work);
		return failed("the work is not posted");
	}
	stream->posted++;
	return json_null();
}

/* Takes what the completion queue has. */
static void completed(void)
{
	struct ibv_wc wc;
	while (ibv_poll_cq(queue, 1, &wc) == 1) {
		struct work *work = (struct work *)(uintptr_t)wc.wr_id;
		json_t *fields;
		if (work->receive && wc.status == IBV_WC_SUCCESS) {
			fields = json_pack("{sI so}", "identifier", (json_int_t)work->identifier, "payload",
					   hex(work->place, wc.byte_len));
			if (wc.wc_flags & IBV_WC_WITH_INV)
				json_object_set_new(fields, "invalidated_stag", json_integer(wc.invalidated_rkey));
			happened(work->stream, "arrival", fields);
		} else {
			const char *status = wc.status == IBV_WC_SUCCESS ? "succeeded" :
				wc.status == IBV_WC_WR_FLUSH_ERR ? "flushed" : "other";
			fields = json_pack("{sI ss ss}", "identifier", (json_int_t)work->identifier, "operation",
					   work->operation, "status", status);
			if (wc.status != IBV_WC_SUCCESS)
				json_object_set_new(fields, "text", json_string(ibv_wc_status_str(wc.status)));
			happened(work->stream, "completion", fields);
		}
		work->stream->posted--;
		free_work(work);
	}
}

/* ---- Calls ---- */

static json_t *capabilities(struct session *session)
{
	char runner[80];
	json_t *abilities = json_pack("[ssssss]", "send", "rdma-write", "rdma-read", "private-data",
				      "several-streams", "opens-streams");
	json_array_append_new(abilities, json_string("fence"));
	json_array_append_new(abilities, json_string("protection-domains"));
	json_array_append_new(abilities, json_string("enhanced-setup"));
	place_of((struct sockaddr *)&session->runner, runner, sizeof runner);
	return json_pack("{si ss ss ss so s[s] ss s{si si si si si si si si si}}", "protocol", 1, "agent",
			 ibv_get_device_name(device->device), "runner", runner, "listens", listens, "abilities", abilities,
			 "profiles", "rfc5040", "profile", "rfc5040", "limits", "regions", 256, "region_length", 1 << 30,
			 "streams", 256, "receives", RECEIVES, "receive_size", LONGEST, "work", WORK, "private_data", 255,
			 "ird", limits.max_qp_rd_atom, "ord", limits.max_qp_init_rd_atom);
}

static json_t *reset(struct session *session)
{
	struct stream *stream, *after;
	struct region *region, *next;
	int fd = session->fd;
	session->fd = -1;                /* nothing is said of what ends now */
	for (stream = streams; stream; stream = after) {
		after = stream->next;
		if (stream->session == session)
			ended(stream);
	}
	for (region = regions; region; region = next) {
		next = region->next;
		if (region->session == session)
			deregister(region);
	}
	session->fd = fd;
	return json_null();
}

static json_t *end(struct session *session, json_t *params, bool abrupt)
{
	const char *name = json_string_value(json_object_get(params, "stream"));
	struct stream *stream = name ? stream_of(session, name) : NULL;
	if (!stream)
		return name ? NULL : refuse(NO_PARAMS, "a stream is needed");
	if (abrupt)
		ended(stream);
	else if (!stream->up)
		return refuse(REFUSED, "the stream is not up");
	else
		rdma_disconnect(stream->id);
	return json_null();
}

static json_t *call(struct session *session, const char *method, json_t *params)
{
	const char *name = json_string_value(json_object_get(params, "region"));
	struct region *region;
	if (!strcmp(method, "capabilities"))
		return capabilities(session);
	if (!strcmp(method, "reset"))
		return reset(session);
	if (!strcmp(method, "register"))
		return register_memory(session, params);
	if (!strcmp(method, "read_memory") || !strcmp(method, "write_memory"))
		return memory(session, params, *method == 'w');
	if (!strcmp(method, "post_receives"))
		return post_receives(session, params);
	if (!strcmp(method, "post"))
		return post(session, params);
	if (!strcmp(method, "open"))
		return open_stream(session, params);
	if (!strcmp(method, "prepare"))
		return prepare(session, params);
	if (!strcmp(method, "finish") || !strcmp(method, "abort"))
		return end(session, params, *method == 'a');
	if (!strcmp(method, "deregister"))
		return name && (region = region_of(session, name)) ? deregister(region) : NULL;
	if (!strcmp(method, "bind_window") || !strcmp(method, "invalidate") || !strcmp(method, "revalidate") ||
	    !strcmp(method, "recall"))
		return refuse(UNSUPPORTED, "no %s here", method);
	return refuse(NO_METHOD, "there is no method %s", method);
}

static void line(struct session *session, const char *text, size_t length)
{
	json_error_t wrong;
	json_t *message = json_loadb(text, length, 0, &wrong), *id, *result, *params;
	const char *method = json_string_value(json_object_get(message, "method"));
	id = json_object_get(message, "id");
	if (!message) {
		error_code = -32700;
		snprintf(error_text, sizeof error_text, "%s", wrong.text);
		result = NULL;
	} else if (!method || !json_is_integer(id)) {
		result = refuse(-32600, "a call has jsonrpc, an id and a method");
	} else {
		params = json_object_get(message, "params");
		refuse(NO_PARAMS, "%s takes other parameters", method);
		result = call(session, method, params);
	}
	id = id ? json_incref(id) : json_null();
	say(session, result ? json_pack("{ss so so}", "jsonrpc", "2.0", "id", id, "result", result) :
			      json_pack("{ss so s{si ss}}", "jsonrpc", "2.0", "id", id, "error", "code", error_code,
					"message", error_text));
	json_decref(message);
}

/* Reads what came on a control connection; false when it is over. */
static bool hear(struct session *session)
{
	ssize_t count;
	char *end;
	if (session->room - session->length < 65536)
		session->in = realloc(session->in, session->room += 1 << 20);
	count = recv(session->fd, session->in + session->length, session->room - session->length, 0);
	if (count <= 0)
		return false;
	session->length += count;
	while ((end = memchr(session->in, '\n', session->length))) {
		size_t length = end - session->in + 1;
		line(session, session->in, length - 1);
		memmove(session->in, end + 1, session->length -= length);
	}
	return true;
}

static struct session *begin(int fd)
{
	struct session *session = calloc(1, sizeof *session);
	socklen_t size = sizeof session->runner;
	int on = 1;
	session->fd = fd;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	getpeername(fd, (struct sockaddr *)&session->runner, &size);
	return session;
}

static int control(const char *host, const char *port, bool call)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = call ? 0 : AI_PASSIVE }, *to;
	int fd, on = 1;
	if (getaddrinfo(host, port, &hints, &to))
		fatal("no such address for control");
	fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (call ? connect(fd, to->ai_addr, to->ai_addrlen) : bind(fd, to->ai_addr, to->ai_addrlen) || listen(fd, 16)) {
		if (!call)
			fatal("cannot listen for control");
		close(fd);
		fd = -1;
	}
	freeaddrinfo(to);
	return fd;
}

static void set_up(const char *address, const char *port)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE }, *at;
	if (getaddrinfo(address, port, &hints, &at))
		fatal("-a takes an address of the RDMA device");
	if (!(channel = rdma_create_event_channel()) || rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(listener, at->ai_addr) || rdma_listen(listener, 64) || !(device = listener->verbs))
		fatal("cannot listen for streams");
	place_of(at->ai_addr, listens, sizeof listens);
	freeaddrinfo(at);
	if (ibv_query_device(device, &limits) || !domain(1) || !(completions = ibv_create_comp_channel(device)) ||
	    !(queue = ibv_create_cq(device, limits.max_cqe < 8192 ? limits.max_cqe : 8192, NULL, completions, 0)) ||
	    ibv_req_notify_cq(queue, 0))
		fatal("the device cannot be used");
	fcntl(channel->fd, F_SETFL, O_NONBLOCK);
	fcntl(completions->fd, F_SETFL, O_NONBLOCK);
	fcntl(device->async_fd, F_SETFL, O_NONBLOCK);
}

static void cm_events(void)
{
	struct rdma_cm_event *event, copy;
	static char data[512];
	while (!rdma_get_cm_event(channel, &event)) {
		copy = *event;
		if (copy.param.conn.private_data && copy.param.conn.private_data_len)
			memcpy(data, copy.param.conn.private_data, copy.param.conn.private_data_len);
		copy.param.conn.private_data = data;
		rdma_ack_cm_event(event);        /* before an id is destroyed, which waits for it */
		cm_event(&copy);
	}
}

static void async_events(void)
{
	struct ibv_async_event event;
	while (!ibv_get_async_event(device, &event)) {
		bool fatal_event = event.event_type == IBV_EVENT_QP_FATAL || event.event_type == IBV_EVENT_QP_REQ_ERR ||
			event.event_type == IBV_EVENT_QP_ACCESS_ERR;
		for (struct stream *it = streams; it && fatal_event; it = it->next)
			if (it->id && it->id->qp == event.element.qp)
				happened(it, "terminates", json_pack("{ss}", "text", ibv_event_type_str(event.event_type)));
		ibv_ack_async_event(&event);
	}
}

static void completion_events(void)
{
	struct ibv_cq *cq;
	void *context;
	while (!ibv_get_cq_event(completions, &cq, &context)) {
		ibv_ack_cq_events(cq, 1);
		ibv_req_notify_cq(cq, 0);
	}
	completed();
}

int main(int argc, char **argv)
{
	const char *address = NULL, *port = "7174", *control_port = "7175", *runner = NULL;
	int option, at = -1;
	while ((option = getopt(argc, argv, "a:p:c:r:")) != -1)
		switch (option) {
		case 'a': address = optarg; break;
		case 'p': port = optarg; break;
		case 'c': control_port = optarg; break;
		case 'r': runner = optarg; break;
		default: address = NULL; optind = argc + 1;
		}
	if (!address || optind != argc) {
		fprintf(stderr, "usage: %s -a ADDRESS [-p PORT] [-c CONTROL_PORT | -r RUNNER:PORT]\n", *argv);
		return 2;
	}
	set_up(address, port);
	if (!runner)
		at = control(NULL, control_port, false);
	printf("listening at %s, control at port %s\n", listens, runner ? runner : control_port);
	fflush(stdout);
	for (;;) {
		struct pollfd fds[SESSIONS + 4] = { { channel->fd, POLLIN, 0 }, { completions->fd, POLLIN, 0 },
			{ device->async_fd, POLLIN, 0 }, { at, POLLIN, 0 } };
		struct session *heard[SESSIONS];
		int count = 0, fd;
		if (runner && !sessions[0]) {
			char host[64];
			const char *colon = strrchr(runner, ':');
			snprintf(host, sizeof host, "%.*s", (int)(colon ? colon - runner : 0), runner);
			if ((fd = control(host, colon ? colon + 1 : runner, true)) >= 0)
				sessions[0] = begin(fd);
		}
		for (int i = 0; i < SESSIONS; i++)
			if (sessions[i]) {
				heard[count] = sessions[i];
				fds[4 + count++] = (struct pollfd){ sessions[i]->fd, POLLIN, 0 };
			}
		poll(fds, 4 + count, 20);
		/* What happened on streams is said before calls are answered. */
		cm_events();
		completion_events();
		async_events();
		for (struct stream *it = streams, *next; it; it = next) {
			next = it->next;
			if (it->due && now() >= it->due)
				decide(it);
		}
		for (int i = 0; i < count; i++)
			if (fds[4 + i].revents && !hear(heard[i]))
				for (int j = 0; j < SESSIONS; j++)
					if (sessions[j] == heard[i]) {
						close(heard[i]->fd);
						reset(heard[i]);
						free(heard[i]->in);
						free(heard[i]);
						sessions[j] = NULL;
					}
		if (at >= 0 && fds[3].revents && (fd = accept4(at, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
			int place = 0;
			while (place < SESSIONS && sessions[place])
				place++;
			if (place < SESSIONS)
				sessions[place] = begin(fd);
			else
				close(fd);
		}
	}
}

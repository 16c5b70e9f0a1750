/*
 * The device of the verbs agent: memory, streams and work, with librdmacm and libibverbs.
 * A stream that ended is kept, without anything of the device, until `reset` or until its name is given again.
 */
#define _GNU_SOURCE
#include "agent.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netdb.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { REGIONS = 256, STREAMS = 64, WORK = 512, OWN_WORK = 4, RECEIVES = 1024, DOMAINS = 16, PRIVATE = 255, DELAY = 60000 };
enum { REGION_BYTES = 64 << 20, RECEIVE_BYTES = 16 << 20, READ_BYTES = 1 << 20, ALL_BYTES = 256 << 20 };
#define PAGE ((uintptr_t)sysconf(_SC_PAGESIZE))
enum { RESOLVE = 2000, FLUSHING = 500, WAITING = 1000, BUSY = 5 };      /* milliseconds */
enum { USUAL = 1, NO_STREAMS = -1 };     /* Protection Domains: of most streams, and of none */
enum { OWN_IRD = 3, OWN_ORD = 5 };       /* depths that the agent's own stream is opened with */

struct region {                          /* a region or window */
	struct region *next;
	struct session *session;
	char *name, *bytes;
	size_t length, mapped;           /* mapped: bytes of whole pages, 0 of a window */
	unsigned users;                  /* the session, windows, and work that names its bytes */
	struct region *of;               /* of a window: what it is bound to */
	uint64_t base;                   /* the Tagged Offset of the first byte */
	bool given;                      /* by the runner */
	int access;
	struct ibv_pd *pd;
	struct ibv_mr *mr, *sink;        /* sink: what RDMA Reads of our own write to, on iWARP */
	struct ibv_mw *window;           /* of type 2 if it is of one stream, else of type 1 */
	bool of_stream;
	struct stream *stream;           /* NULL when that ended */
	uint32_t stag;
};

struct stream {
	struct stream *next;
	struct session *session;         /* NULL where nobody prepared for it */
	char *name;
	json_t *options;
	enum { PREPARED, COMING, UP, CLOSING, CLOSED, ENDING, ENDED } state;
	int64_t due;                     /* when a request is answered, or flushing is given up */
	struct rdma_cm_id *id;
	struct ibv_cq *queue;
	struct work *work;               /* what is posted and not complete, latest first */
	unsigned posted[2];              /* how many of them: receives, and work */
	bool came;                       /* the runner opened it */
	bool raised, broken;             /* a solicited event is to be said; something was flushed or failed */
	const char *how;                 /* it ended, if that is known */
};

struct work {                            /* a receive or work request; its address is the wr_id */
	struct work *next;
	struct stream *stream;
	uint64_t identifier;
	char operation[16];
	enum { IN, OUT } way;
	int *status;                     /* where the agent waits for it: what its ibv_wc_status is */
	struct region *region;           /* whose bytes it uses, or */
	struct ibv_mr *mr;               /* of bytes of its own */
	char *bytes;
	size_t length;
};

static struct session own = { .fd = -1 };        /* in which the agent tries what the device can do */
static struct region *regions;
static struct stream *streams;
static struct { int64_t number; struct ibv_pd *pd; } domains[DOMAINS];
static struct rdma_event_channel *channel;
static struct rdma_cm_id *listener;
static struct ibv_context *device;
static struct ibv_device_attr limits;
static struct ibv_comp_channel *completions;
static const char *folder;
static char listens[80];
static size_t held;                      /* bytes of regions and of work */
/* What is found by trying. */
static bool any_offset, windows, stream_windows, files, solicited, reports_stag, takes_stag, depths_reported;

static int64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

/* What failed, with the system's reason. */
static void *failed(const char *what)
{
	bool never = errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL;
	return refuse(never ? UNSUPPORTED : REFUSED, "%s: %s", what, strerror(errno));
}

/* Other runners may give theirs back: only what never fits is beyond the limit. */
static bool room_for(size_t bytes)
{
	return (held <= ALL_BYTES && bytes <= ALL_BYTES - held) ||
	       refuse(bytes > ALL_BYTES ? LIMIT : REFUSED, "at most %d bytes in all regions and work of all runners", ALL_BYTES);
}

/* The Protection Domain of a number. */
static struct ibv_pd *domain(int64_t number)
{
	int at = -1;
	for (int i = DOMAINS - 1; i >= 0; i--)
		if (domains[i].pd && domains[i].number == number)
			return domains[i].pd;
		else if (!domains[i].pd)
			at = i;
	if (at < 0 || !(domains[at].pd = ibv_alloc_pd(device)))
		return refuse(LIMIT, "at most %d Protection Domains", DOMAINS);
	domains[at].number = number;
	return domains[at].pd;
}

static bool has_atomics(void)
{
	return limits.atomic_cap != IBV_ATOMIC_NONE;
}

/* The messages that streams carry. */
static const char *profile(void)
{
	return has_atomics() ? "rfc7306" : "rfc5040";
}

/* ---- Memory ---- */

static struct stream *stream_of(struct session *session, const char *name)
{
	for (struct stream *it = streams; it; it = it->next)
		if (it->session == session && !strcmp(it->name, name))
			return it;
	return refuse(UNKNOWN, "there is no stream %s", name);
}

static struct region *region_of(struct session *session, json_t *params, const char *key)
{
	const char *name = text_of(params, key, "");
	for (struct region *it = regions; it; it = it->next)
		if (it->session == session && !strcmp(it->name, name))
			return it;
	return refuse(UNKNOWN, "there is no region %s", name);
}

/* The rights that parameters name, as the device has them. */
static bool rights_of(json_t *params, int *access)
{
	bool atomic = has(params, "rights", "atomic"), reads = has(params, "rights", "read");
	*access = (reads ? IBV_ACCESS_REMOTE_READ : 0) | (has(params, "rights", "write") ? IBV_ACCESS_REMOTE_WRITE : 0) |
		  (atomic ? IBV_ACCESS_REMOTE_ATOMIC : 0);
	return !((atomic && !has_atomics()) || has(params, "rights", "verify") || has(params, "rights", "flush_persistence") ||
		 has(params, "rights", "flush_visibility")) || refuse(UNSUPPORTED, "the device has no such right");
}

static json_t *described(struct region *region)
{
	char base[24];
	snprintf(base, sizeof base, "0x%" PRIx64, region->base);
	return json_pack("{sI ss sI}", "stag", (json_int_t)region->stag, "base", base, "length", (json_int_t)region->length);
}

/* Lets go of a region; the last one frees its bytes. */
static void leave(struct region *region)
{
	if (--region->users)
		return;
	if (region->of)
		leave(region->of);
	else
		held -= region->length;
	if (region->mapped)
		munmap((void *)((uintptr_t)region->bytes / PAGE * PAGE), region->mapped);
	free(region->name);
	free(region);
}

/* Maps bytes of zeros, in memory or in a new file without a name: at the base that is given, where that can be. */
static bool map_bytes(struct region *region, bool in_file)
{
	int flags = in_file ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, file = -1;
	size_t within = region->base % PAGE, mapped = (within + region->length) / PAGE * PAGE + PAGE;
	void *at = MAP_FAILED, *wanted = (void *)(uintptr_t)(region->base - within);
	if (!in_file || ((file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) >= 0 && !ftruncate(file, mapped))) {
		if (wanted)
			at = mmap(wanted, mapped, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, file, 0);
		if (at == MAP_FAILED && (!region->given || any_offset))
			at = mmap(NULL, mapped, PROT_READ | PROT_WRITE, flags, file, 0);
	}
	if (file >= 0)
		close(file);
	if (at == MAP_FAILED)
		return refuse(errno == EEXIST ? REFUSED : UNSUPPORTED, "memory cannot lie there: %s", strerror(errno));
	region->bytes = (char *)at + within;
	region->mapped = mapped;
	return true;
}

/* Where its bytes are in the region that was registered: a window of one stream has an offset of its own. */
static uint64_t origin(const struct region *region)
{
	if (region->of)
		return origin(region->of) + (region->bytes - region->of->bytes);
	return region->of_stream ? (uintptr_t)region->bytes : region->base;
}

static struct ibv_mr *registered(struct region *region)
{
	int access = (region->of_stream ? 0 : region->access) | IBV_ACCESS_LOCAL_WRITE |
		     (windows || stream_windows ? IBV_ACCESS_MW_BIND : 0);
	if (origin(region) == (uintptr_t)region->bytes)
		return ibv_reg_mr(region->pd, region->bytes, region->length, access);
	return ibv_reg_mr_iova(region->pd, region->bytes, region->length, region->base, access);
}

static bool carry_out(struct stream *stream, struct ibv_send_wr *request, struct ibv_mw_bind *bind);

/* A stream of a Protection Domain that a window can be bound on. */
static struct stream *carrier(struct ibv_pd *pd)
{
	for (struct stream *it = streams; it; it = it->next)
		if (it->state == UP && it->id->qp->pd == pd)
			return it;
	return NULL;
}

/* Binds a window. */
static bool bound(struct region *region)
{
	struct ibv_mr *mr = region->of ? region->of->mr : region->mr;
	int access = region->access | (region->given ? IBV_ACCESS_ZERO_BASED : 0);
	struct ibv_mw_bind bind = { .bind_info = { mr, origin(region), region->length, access } };
	struct ibv_send_wr request = { .opcode = IBV_WR_BIND_MW };
	struct stream *stream = region->of_stream ? region->stream : carrier(region->pd);
	if (region->given && region->base)
		return refuse(UNSUPPORTED, "the device chooses Tagged Offsets of windows");
	if (!mr || !stream)
		return refuse(REFUSED, "its region is not valid, or no stream is up that it could be bound on");
	if (!(region->window = ibv_alloc_mw(region->pd, region->of_stream ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1)))
		return failed("the device makes no window");
	request.bind_mw.mw = region->window;
	request.bind_mw.rkey = ibv_inc_rkey(region->window->rkey);
	request.bind_mw.bind_info = bind.bind_info;
	if (!carry_out(stream, &request, region->of_stream ? NULL : &bind))
		return failed("the window is not bound");
	region->window->rkey = region->of_stream ? request.bind_mw.rkey : region->window->rkey;
	return true;
}

/* Takes everything of the device from a region or window: its STag is invalid for good. */
static bool withdrawn(struct region *region)
{
	if (region->window && (errno = ibv_dealloc_mw(region->window)))
		return failed("the window stays");
	region->window = NULL;
	if (region->sink && (errno = ibv_dereg_mr(region->sink)))
		return failed("it stays registered");
	region->sink = NULL;
	if (region->mr && (errno = ibv_dereg_mr(region->mr)))
		return failed("it stays registered");
	region->mr = NULL;
	return true;
}

/* Registers a region or binds a window, and withdraws what was before. If that cannot be, nothing is changed. */
static bool made(struct region *region)
{
	struct region before = *region;
	region->window = NULL;
	region->sink = NULL;
	region->mr = region->of ? NULL : registered(region);
	if (!region->of && !region->mr) {
		failed("the device registers no such memory");
	} else if ((!region->of && !region->of_stream) || bound(region)) {
		region->stag = region->window ? region->window->rkey : region->mr->rkey;
		return withdrawn(&before);
	}
	withdrawn(region);
	*region = before;
	return false;
}

/* Forgets a region that the device has given back. */
static bool forget_region(struct region *region)
{
	struct region **it = &regions;
	if (!withdrawn(region))
		return false;
	while (*it != region)
		it = &(*it)->next;
	*it = region->next;
	leave(region);
	return true;
}

/* Whether no window is bound to a region; refuses otherwise. */
static bool is_free(const struct region *region)
{
	for (struct region *it = regions; it && region; it = it->next)
		if (it->of == region && it->window)
			return refuse(REFUSED, "the window %s is still bound", it->name);
	return region;
}

/* Begins a region or window, with its rights, Protection Domain, and stream. */
static struct region *new_region(struct session *session, json_t *params, struct region *of)
{
	const char *scope = text_of(params, "scope", "protection_domain"), *stream = text_of(params, "stream", NULL);
	struct region new = { .session = session, .users = 1, .of = of, .length = number_of(params, "length", 0) }, *it;
	unsigned count = 0;
	for (it = regions; it; it = it->next)
		count += it->session == session;
	if (region_of(session, params, "region"))
		return refuse(REFUSED, "there is such a region already");
	if (count >= REGIONS || new.length > REGION_BYTES)
		return refuse(LIMIT, "at most %d regions of %d bytes", REGIONS, REGION_BYTES);
	new.of_stream = !strcmp(scope, "stream");
	if (new.of_stream && !stream)
		return refuse(NO_PARAMS, "scope stream takes a stream");
	if (new.of_stream ? !stream_windows : of && !windows)
		return refuse(UNSUPPORTED, "the device has no such windows");
	if (!rights_of(params, &new.access) || (!of && !room_for(new.length)))
		return NULL;
	if (new.of_stream && (!(new.stream = stream_of(session, stream)) || new.stream->state != UP))
		return new.stream ? refuse(REFUSED, "the stream %s is not up", stream) : NULL;
	new.pd = new.of_stream ? new.stream->id->qp->pd : of ? of->pd : domain(*scope == 'o' ? NO_STREAMS : USUAL);
	new.given = text_of(params, "base", NULL);
	new.base = word_of(params, "base");
	if (!new.pd)
		return NULL;
	new.name = strdup(text_of(params, "region", ""));
	if (of)
		of->users++;
	else
		held += new.length;
	new.next = regions;
	it = allocate(sizeof *it);
	*it = new;
	return regions = it;
}

json_t *register_memory(struct session *session, json_t *params)
{
	const char *backing = text_of(params, "backing", "memory");
	struct region *it;
	if (text_of(params, "hash", NULL) || !strcmp(backing, "failing") || (!strcmp(backing, "file") && !files))
		return refuse(UNSUPPORTED, "there is no such memory here");
	if (!any_offset && !strcmp(text_of(params, "base", ""), "0x0"))
		return refuse(UNSUPPORTED, "the device has no zero-based regions");
	if (!(it = new_region(session, params, NULL)))
		return NULL;
	if (map_bytes(it, !strcmp(backing, "file"))) {
		it->base = it->given ? it->base : (uintptr_t)it->bytes;
		if (made(it))
			return described(it);
	}
	forget_region(it);
	return NULL;
}

/* The bytes of a part of a region. */
static char *part_of(struct region *region, uint64_t offset, uint64_t length)
{
	if (offset <= region->length && length <= region->length - offset)
		return region->bytes + offset;
	return refuse(UNKNOWN, "the region has %zu bytes", region->length);
}

json_t *bind_window(struct session *session, json_t *params)
{
	uint64_t offset = number_of(params, "offset", 0);
	struct region *of = region_of(session, params, "of"), *it;
	if (!windows && !stream_windows)
		return refuse(UNSUPPORTED, "the device has no windows");
	if (!of || of->of || !part_of(of, offset, number_of(params, "length", 0)))
		return of && of->of ? refuse(UNKNOWN, "%s is a window itself", of->name) : NULL;
	if (!(it = new_region(session, params, of)))
		return NULL;
	it->bytes = of->bytes + offset;
	it->base = it->given ? it->base : origin(it);
	if (made(it))
		return described(it);
	forget_region(it);
	return NULL;
}

/* A window of one stream is invalidated by work on that; what is deregistered is as invalid. */
json_t *invalidate(struct session *session, json_t *params)
{
	struct region *it = region_of(session, params, "region");
	struct ibv_send_wr request = { .opcode = IBV_WR_LOCAL_INV };
	if (!is_free(it))
		return NULL;
	request.invalidate_rkey = it->stag;
	if (it->of_stream && it->window && it->stream->state == UP && !carry_out(it->stream, &request, NULL))
		return failed("it is not invalidated");
	return withdrawn(it) ? json_null() : NULL;
}

json_t *revalidate(struct session *session, json_t *params)
{
	struct region *it = region_of(session, params, "region");
	int before, access;
	if (!is_free(it) || !rights_of(params, &access))
		return NULL;
	before = it->access;
	it->access = access;
	if (made(it))
		return described(it);
	it->access = before;
	return NULL;
}

json_t *deregister(struct session *session, json_t *params)
{
	struct region *it = region_of(session, params, "region");
	return is_free(it) && forget_region(it) ? json_null() : NULL;
}

json_t *read_memory(struct session *session, json_t *params)
{
	struct region *it = region_of(session, params, "region");
	uint64_t length = number_of(params, "length", 0);
	char *bytes = it ? part_of(it, number_of(params, "offset", 0), length) : NULL;
	if (bytes && length > READ_BYTES)
		return refuse(LIMIT, "at most %d bytes at once", READ_BYTES);
	return bytes ? hex(bytes, length) : NULL;
}

json_t *write_memory(struct session *session, json_t *params)
{
	struct region *it = region_of(session, params, "region");
	size_t length;
	char *from = unhex(text_of(params, "bytes", ""), &length);
	char *bytes = it ? part_of(it, number_of(params, "offset", 0), length) : NULL;
	if (bytes)
		memcpy(bytes, from, length);
	free(from);
	return bytes ? json_null() : NULL;
}

/* A mapped file and the region are the same memory: what of it a crash would leave cannot be seen. */
json_t *recall(struct session *session, json_t *params)
{
	return region_of(session, params, "region") ? refuse(UNSUPPORTED, "nothing is recalled here") : NULL;
}

/* ---- Streams ---- */

/* Takes work from its stream. */
static void forget_work(struct work *work)
{
	struct work **it = &work->stream->work;
	while (*it != work)
		it = &(*it)->next;
	*it = work->next;
	work->stream->posted[work->way]--;
	if (work->mr)
		ibv_dereg_mr(work->mr);
	if (work->region) {
		leave(work->region);
	} else {
		held -= work->length;
		free(work->bytes);
	}
	free(work);
}

/* Says that a message came, or how work ended. */
static void say_completion(struct work *work, const struct ibv_wc *wc)
{
	bool done = wc->status == IBV_WC_SUCCESS, atomic = done && !strcmp(work->operation, "atomic");
	uint32_t stag = wc->wc_flags & IBV_WC_WITH_INV ? wc->invalidated_rkey : 0;
	size_t length = wc->byte_len < work->length ? wc->byte_len : work->length;
	struct stream *stream = work->stream;
	char original[24] = "";
	if (done && work->way == IN) {
		happened(stream->session, stream->name, "arrival", json_pack("{sI so so*}", "identifier", work->identifier, "payload",
			 hex(work->bytes, length), "invalidated_stag", stag || reports_stag ? json_integer(stag) : NULL));
		return;
	}
	if (atomic)
		snprintf(original, sizeof original, "0x%" PRIx64, *(uint64_t *)(void *)work->bytes);
	happened(stream->session, stream->name, "completion", json_pack("{sI ss ss ss* ss*}", "identifier", work->identifier,
		 "operation", work->operation, "status", done ? "succeeded" : wc->status == IBV_WC_WR_FLUSH_ERR ? "flushed" : "other",
		 "text", done ? NULL : ibv_wc_status_str(wc->status), "original", atomic ? original : NULL));
}

/* Says what completed on a stream. */
static void completed(struct stream *stream)
{
	struct ibv_wc wc;
	while (stream->queue && ibv_poll_cq(stream->queue, 1, &wc) == 1) {
		struct work *work = (struct work *)(uintptr_t)wc.wr_id;
		stream->broken |= wc.status != IBV_WC_SUCCESS;
		if (work->status)
			*work->status = wc.status;
		else
			say_completion(work, &wc);
		forget_work(work);
	}
}

/* Gives everything of the device back: windows of the stream, the QP, what was posted, the queues, the identifier. */
static void release(struct stream *stream)
{
	for (struct region *it = regions; it; it = it->next)
		if (it->stream == stream) {
			withdrawn(it);
			it->stream = NULL;
		}
	if (stream->id && stream->id->qp)
		rdma_destroy_qp(stream->id);
	while (stream->work)
		forget_work(stream->work);
	if (stream->queue)
		ibv_destroy_cq(stream->queue);
	if (stream->id)
		rdma_destroy_id(stream->id);
	stream->queue = NULL;
	stream->id = NULL;
}

static void forget_stream(struct stream *stream)
{
	struct stream **it = &streams;
	while (*it != stream)
		it = &(*it)->next;
	*it = stream->next;
	release(stream);
	json_decref(stream->options);
	free(stream->name);
	free(stream);
}

/* Ends a stream: what is posted is flushed and told, and then the end is. */
static void end(struct stream *stream, const char *event, const char *how, json_t *fields)
{
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };
	if (stream->state >= ENDING) {
		json_decref(fields);
		return;
	}
	completed(stream);
	if (event)
		happened(stream->session, stream->name, event, fields);
	if (stream->id && stream->id->qp)
		ibv_modify_qp(stream->id->qp, &error, IBV_QP_STATE);
	stream->state = ENDING;
	stream->due = now() + FLUSHING;
	stream->how = stream->how ? stream->how : how;
}

static void setup_failed(struct stream *stream, const char *why)
{
	end(stream, "setup_failed", "setup_failed", json_pack("{ss}", "text", why));
}

/* The stream of a call, if it takes work. What the device says of its setup may come behind the peer's call. */
static struct stream *usable(struct session *session, json_t *params, bool setting_up)
{
	struct stream *it = stream_of(session, text_of(params, "stream", ""));
	int64_t until = now() + WAITING;
	while (it && it->state == COMING && !(setting_up && it->queue) && now() < until) {
		poll(NULL, 0, 1);
		device_step();
	}
	if (!it || it->state == UP || (setting_up && it->state == COMING && it->queue))
		return it;
	return refuse(REFUSED, it->state < UP ? "the stream is not up" : it->state < ENDING ? "the stream is closing" :
		      "the stream ended");
}

static struct work *new_work(struct stream *stream, uint64_t identifier, const char *operation)
{
	struct work *it = allocate(sizeof *it);
	it->next = stream->work;
	it->stream = stream;
	it->identifier = identifier;
	it->way = strcmp(operation, "receive") ? OUT : IN;
	snprintf(it->operation, sizeof it->operation, "%s", operation);
	stream->posted[it->way]++;
	return stream->work = it;
}

/* Gives work bytes of its own, or those of a region from an offset on, and describes them to the device. */
static bool supply(struct work *work, struct region *region, uint64_t offset, char *bytes, size_t length, struct ibv_sge *part)
{
	struct ibv_mr *mr;
	work->length = length;
	work->region = region;
	work->bytes = region ? region->bytes + offset : bytes;
	if (region) {
		region->users++;
		mr = region->of ? region->of->mr : region->mr;
	} else {
		held += length;
		mr = work->mr = ibv_reg_mr(work->stream->id->qp->pd, bytes, length + 1, IBV_ACCESS_LOCAL_WRITE);
	}
	*part = (struct ibv_sge){ region ? origin(region) + offset : (uintptr_t)bytes, length, mr ? mr->lkey : 0 };
	return mr || (region ? refuse(REFUSED, "the region is not valid") : failed("memory for it is not registered"));
}

static bool receive(struct stream *stream, uint64_t identifier, size_t size, struct region *region, uint64_t offset)
{
	struct work *work = new_work(stream, identifier, "receive");
	struct ibv_sge part;
	struct ibv_recv_wr request = { .wr_id = (uintptr_t)work, .sg_list = &part, .num_sge = 1 }, *bad;
	if (!region && !room_for(size)) {
		errno = ENOMEM;          /* a stream's setup says it */
	} else if (supply(work, region, offset, region ? NULL : allocate(size + 1), size, &part)) {
		if (!(errno = abs(ibv_post_recv(stream->id->qp, &request, &bad))))
			return true;
		failed("the receive is not posted");
	}
	forget_work(work);
	return false;
}

/* Makes queues and a QP, and posts the receives that were ordered. */
static bool equip(struct stream *stream)
{
	struct ibv_qp_init_attr it = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { .max_send_wr = WORK + OWN_WORK, .max_recv_wr = RECEIVES, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ibv_pd *pd = domain(number_of(stream->options, "protection_domain", USUAL));
	uint64_t receives = number_of(stream->options, "receives", 0), size = number_of(stream->options, "receive_size", 0);
	stream->queue = it.send_cq = it.recv_cq = ibv_create_cq(device, RECEIVES + WORK + OWN_WORK, stream, completions, 0);
	if (!pd || !stream->queue || ibv_req_notify_cq(stream->queue, solicited) || rdma_create_qp(stream->id, pd, &it))
		return false;
	for (uint64_t i = 1; i <= receives; i++)
		if (!receive(stream, i, size, NULL, 0))
			return false;
	return true;
}

/* Accepts, rejects or connects, as was ordered. */
static void answer(struct stream *stream)
{
	size_t length;
	char *data = unhex(text_of(stream->options, "private_data", ""), &length);
	uint64_t ird = number_of(stream->options, "ird", 16), ord = number_of(stream->options, "ord", 16);
	struct rdma_conn_param it = { .private_data = data, .private_data_len = length, .retry_count = 7 };
	it.responder_resources = ird < (uint64_t)limits.max_qp_rd_atom ? ird : (uint64_t)limits.max_qp_rd_atom;
	it.initiator_depth = ord < (uint64_t)limits.max_qp_init_rd_atom ? ord : (uint64_t)limits.max_qp_init_rd_atom;
	if (stream->came && flag_of(stream->options, "reject")) {
		rdma_reject(stream->id, data, length);
		end(stream, "rejected", "rejected", NULL);
	} else if (!equip(stream) || (stream->came ? rdma_accept(stream->id, &it) : rdma_connect(stream->id, &it))) {
		setup_failed(stream, strerror(errno));
	}
	free(data);
}

/* Whether the options of a stream can be followed. */
static bool can_follow(json_t *options)
{
	static const char *const of_device[] = { "revision", "enhanced", "markers", "crc", "peer_to_peer", "packing", "profile",
						 "ready_to_receive", "longest_ulpdu", "required_ord" };
	uint64_t receives = number_of(options, "receives", 0), size = number_of(options, "receive_size", 0);
	for (size_t i = 0; i < sizeof of_device / sizeof *of_device; i++)
		if (json_object_get(options, of_device[i]) && !json_is_null(json_object_get(options, of_device[i])) &&
		    strcmp(text_of(options, of_device[i], ""), profile()))
			return refuse(UNSUPPORTED, "%s is the device's choice", of_device[i]);
	if (flag_of(options, "half_open") || flag_of(options, "fall_back"))
		return refuse(UNSUPPORTED, "the device neither stays half open nor falls back");
	if (strlen(text_of(options, "private_data", "")) > 2 * PRIVATE || receives > RECEIVES || size > RECEIVE_BYTES ||
	    number_of(options, "delay", 0) > DELAY)
		return refuse(LIMIT, "at most %d bytes of private data, %d receives of %d bytes, %d ms of delay", PRIVATE,
			      RECEIVES, RECEIVE_BYTES, DELAY);
	return room_for(receives * size);
}

static struct stream *new_stream(struct session *session, json_t *options)
{
	const char *name = text_of(options, "stream", "");
	struct stream *it, *older = NULL;
	unsigned count = 0;
	for (it = streams; it; it = it->next) {
		count += it->session == session;
		if (session && it->session == session && !strcmp(it->name, name))
			older = it;
	}
	if (older && older->state != ENDED)
		return refuse(REFUSED, "there is a stream %s already", name);
	if (count >= STREAMS)
		return refuse(LIMIT, "at most %d streams", STREAMS);
	if (!can_follow(options))
		return NULL;
	if (older)
		forget_stream(older);
	it = allocate(sizeof *it);
	*it = (struct stream){ .next = streams, .session = session, .name = strdup(name), .options = json_incref(options) };
	return streams = it;
}

json_t *prepare(struct session *session, json_t *params)
{
	return new_stream(session, params) ? json_null() : NULL;
}

json_t *open_stream(struct session *session, json_t *params)
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST }, *to;
	char host[NI_MAXHOST] = "", port[8];
	struct stream *it;
	getnameinfo((struct sockaddr *)&session->runner, sizeof session->runner, host, sizeof host, NULL, 0, NI_NUMERICHOST);
	snprintf(port, sizeof port, "%" PRIu64, number_of(params, "port", 0));
	if (getaddrinfo(text_of(params, "address", host), port, &hints, &to))
		return refuse(NO_PARAMS, "there is no such address");
	if ((it = new_stream(session, params))) {
		it->state = COMING;
		if (rdma_create_id(channel, &it->id, it, RDMA_PS_TCP) || rdma_resolve_addr(it->id, NULL, to->ai_addr, RESOLVE)) {
			failed("the address cannot be resolved");
			forget_stream(it);
			it = NULL;
		}
	}
	freeaddrinfo(to);
	return it ? json_null() : NULL;
}

/* Closes the direction once what was posted is done. */
json_t *finish(struct session *session, json_t *params)
{
	struct stream *it = usable(session, params, false);
	if (!it)
		return NULL;
	it->state = CLOSING;
	return json_null();
}

json_t *abort_stream(struct session *session, json_t *params)
{
	struct stream *it = stream_of(session, text_of(params, "stream", ""));
	if (!it || it->state >= ENDING)
		return it ? refuse(REFUSED, "the stream ended") : NULL;
	end(it, NULL, "dropped", NULL);
	return json_null();
}

static json_t *private_data(const struct rdma_conn_param *param)
{
	return json_pack("{so}", "private_data", hex(param->private_data, param->private_data_len));
}

/* A request came: it is for what was prepared for its address, else for what was prepared first, else for nobody. */
static void requested(struct rdma_cm_event *event)
{
	struct stream *found = NULL, *first = NULL;
	json_t *nothing = json_object();
	char from[80];
	place_of(rdma_get_peer_addr(event->id), from, sizeof from);
	for (struct stream *it = streams; it; it = it->next)
		if (it->state == PREPARED) {
			first = it;              /* the list begins with the latest */
			found = strcmp(text_of(it->options, "from", ""), from) ? found : it;
		}
	if (!found && !(found = first) && !(found = new_stream(NULL, nothing)))
		rdma_destroy_id(event->id);
	json_decref(nothing);
	if (!found)
		return;
	found->state = COMING;
	found->came = true;
	found->id = event->id;
	found->id->context = found;
	found->due = now() + number_of(found->options, "delay", 0);
	depths_reported |= found->session == &own && event->param.conn.responder_resources == OWN_ORD &&
			   event->param.conn.initiator_depth == OWN_IRD;
	happened(found->session, found->name, "request", private_data(&event->param.conn));
}

static void cm_event(struct rdma_cm_event *event)
{
	struct stream *stream = event->id->context;
	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST: requested(event); break;
	case RDMA_CM_EVENT_ROUTE_RESOLVED: answer(stream); break;
	case RDMA_CM_EVENT_DISCONNECTED: end(stream, NULL, NULL, NULL); break;
	case RDMA_CM_EVENT_REJECTED: end(stream, "rejected", "rejected", private_data(&event->param.conn)); break;
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		if (rdma_resolve_route(stream->id, RESOLVE))
			setup_failed(stream, strerror(errno));
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		if (stream->state != COMING)
			break;
		stream->state = UP;
		happened(stream->session, stream->name, "established", stream->came ? NULL : private_data(&event->param.conn));
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
	case RDMA_CM_EVENT_CONNECT_ERROR:
	case RDMA_CM_EVENT_UNREACHABLE: setup_failed(stream, rdma_event_str(event->event)); break;
	default: break;
	}
}

/* ---- Work ---- */

json_t *post_receives(struct session *session, json_t *params)
{
	uint64_t count = number_of(params, "count", 0), size = number_of(params, "size", 0);
	uint64_t identifier = number_of(params, "identifier", 0), offset = number_of(params, "offset", 0);
	bool in_region = text_of(params, "region", NULL);
	struct stream *stream = usable(session, params, true);
	struct region *region = in_region ? region_of(session, params, "region") : NULL;
	if (!stream || (in_region && !region))
		return NULL;
	if (count > RECEIVES - stream->posted[IN] || size > RECEIVE_BYTES)
		return refuse(LIMIT, "at most %d receives of %d bytes", RECEIVES, RECEIVE_BYTES);
	if (region ? !part_of(region, offset, count * size) : !room_for(count * size))
		return NULL;
	for (uint64_t i = 0; i < count; i++)
		if (!receive(stream, identifier + i, size, region, offset + i * size))
			return NULL;
	return json_null();
}

/* Puts what is asked into a request of the device. */
static bool describe(json_t *params, const char *operation, struct ibv_send_wr *request)
{
	const char *atomic = text_of(params, "atomic", "");
	uint64_t data = word_of(params, "data"), mask = word_of(params, "mask");
	bool adds = !strcmp(atomic, "fetch_add") && !mask;
	request->wr.rdma.remote_addr = word_of(params, "to");
	request->wr.rdma.rkey = number_of(params, "stag", 0);
	request->send_flags = (has(params, "flags", "fence") ? IBV_SEND_FENCE : 0) |
			      (has(params, "flags", "solicited") ? IBV_SEND_SOLICITED : 0);
	request->invalidate_rkey = number_of(params, "invalidate_stag", 0);
	if (has(params, "flags", "immediate"))
		return refuse(UNSUPPORTED, "the device has no 64 bits of Immediate Data");
	if (!strcmp(operation, "send")) {
		request->opcode = has(params, "flags", "invalidate") ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND;
	} else if (!strcmp(operation, "rdma_write")) {
		request->opcode = IBV_WR_RDMA_WRITE;
	} else if (!strcmp(operation, "rdma_read")) {
		request->opcode = IBV_WR_RDMA_READ;
		return text_of(params, "region", NULL) || refuse(NO_PARAMS, "a Read takes a region");
	} else if (!strcmp(operation, "atomic") && has_atomics()) {
		request->opcode = adds ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_ATOMIC_CMP_AND_SWP;
		request->wr.atomic.rkey = number_of(params, "stag", 0);
		request->wr.atomic.compare_add = adds ? data : word_of(params, "compare_data");
		request->wr.atomic.swap = data;
		if (!adds && (strcmp(atomic, "cmp_swap") || ~mask || ~word_of(params, "compare_mask")))
			return refuse(*atomic ? UNSUPPORTED : NO_PARAMS, "Atomics are fetch_add and cmp_swap of whole words");
	} else {
		return refuse(UNSUPPORTED, "the device makes no %s", operation);
	}
	return true;
}

/* Finds source or sink. On iWARP a peer writes to the sink of a Read, so that must be memory that it may write. */
static bool locate(struct session *session, json_t *params, struct work *work, struct ibv_send_wr *request)
{
	uint64_t offset = number_of(params, "offset", 0), length = number_of(params, "length", 0);
	bool reads = request->opcode == IBV_WR_RDMA_READ;
	struct region *region;
	size_t size = sizeof(uint64_t);
	char *bytes;
	if (!strcmp(work->operation, "atomic"))
		return supply(work, NULL, 0, allocate(size + 1), size, request->sg_list);
	if (text_of(params, "payload", NULL) && !reads) {
		bytes = unhex(text_of(params, "payload", ""), &size);
		return supply(work, NULL, 0, bytes, size, request->sg_list);
	}
	request->num_sge = text_of(params, "region", NULL) ? 1 : 0;
	if (!request->num_sge)
		return true;
	if (!(region = region_of(session, params, "region")) || !part_of(region, offset, length) ||
	    !supply(work, region, offset, NULL, length, request->sg_list))
		return false;
	if (!reads || device->device->transport_type != IBV_TRANSPORT_IWARP || region->access & IBV_ACCESS_REMOTE_WRITE)
		return true;
	if (!region->sink && !(region->sink = ibv_reg_mr(region->pd, region->bytes, region->length,
							  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)))
		return failed("the sink is not registered");
	*request->sg_list = (struct ibv_sge){ (uintptr_t)work->bytes, length, region->sink->lkey };
	return true;
}

json_t *post(struct session *session, json_t *params)
{
	const char *operation = text_of(params, "operation", "");
	struct stream *stream = usable(session, params, false);
	struct ibv_sge part = { 0 };
	struct ibv_send_wr request = { .sg_list = &part, .num_sge = 1 }, *bad;
	struct work *work;
	if (!stream || !describe(params, operation, &request) || !room_for(strlen(text_of(params, "payload", "")) / 2))
		return NULL;
	if (stream->posted[OUT] >= WORK)
		return refuse(LIMIT, "at most %d work requests on a stream", WORK);
	work = new_work(stream, number_of(params, "identifier", 0), operation);
	request.wr_id = (uintptr_t)work;
	if (locate(session, params, work, &request)) {
		if (!(errno = abs(ibv_post_send(stream->id->qp, &request, &bad))))
			return json_null();
		failed("the work is not posted");
	}
	forget_work(work);
	return NULL;
}

/* Carries out work of the agent's own and waits for it; the bind of a window of type 1 is no usual request. */
static bool carry_out(struct stream *stream, struct ibv_send_wr *request, struct ibv_mw_bind *bind)
{
	static int nobody;
	struct work *work = new_work(stream, 0, "");
	struct ibv_send_wr *bad;
	int64_t until = now() + WAITING;
	int status = -1;
	work->status = &status;
	request->wr_id = (uintptr_t)work;
	if (bind)
		bind->wr_id = request->wr_id;
	errno = abs(bind ? ibv_bind_mw(stream->id->qp, request->bind_mw.mw, bind) :
			   ibv_post_send(stream->id->qp, request, &bad));
	if (errno) {
		forget_work(work);
		return false;
	}
	while (status < 0 && now() < until)
		completed(stream);
	if (status < 0)
		work->status = &nobody;
	errno = EIO;
	return status == IBV_WC_SUCCESS;
}

/* ---- What happens ---- */

static void cm_events(void)
{
	struct rdma_cm_event *event, copy;
	char data[UINT8_MAX];
	while (!rdma_get_cm_event(channel, &event)) {
		copy = *event;
		if (copy.param.conn.private_data)
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
		const char *text = ibv_event_type_str(event.event_type);
		bool ends = event.event_type == IBV_EVENT_QP_FATAL || event.event_type == IBV_EVENT_QP_REQ_ERR ||
			    event.event_type == IBV_EVENT_QP_ACCESS_ERR;
		for (struct stream *it = streams; it; it = it->next)
			if (ends && it->id && it->id->qp == event.element.qp && it->state < ENDING) {
				completed(it);
				happened(it->session, it->name, "terminates", json_pack("{ss}", "text", text));
				it->how = "error_here";
			}
		if (!ends)
			fprintf(stderr, "agent: the device says: %s\n", text);
		ibv_ack_async_event(&event);
	}
}

static void queue_events(void)
{
	struct ibv_cq *queue;
	void *context;
	while (!ibv_get_cq_event(completions, &queue, &context)) {
		ibv_ack_cq_events(queue, 1);
		ibv_req_notify_cq(queue, solicited);
		((struct stream *)context)->raised |= solicited;
	}
}

/* Does what has become due on a stream. */
static void mind(struct stream *stream)
{
	if (stream->state >= UP && stream->state < ENDED)
		completed(stream);
	if (stream->raised && stream->state >= UP && !stream->broken)
		happened(stream->session, stream->name, "solicited_event", NULL);
	stream->raised &= stream->state < UP;
	if (stream->state == COMING && stream->came && stream->due && now() >= stream->due) {
		stream->due = 0;
		answer(stream);
	}
	if (stream->state == CLOSING && !stream->posted[OUT]) {
		stream->state = CLOSED;
		rdma_disconnect(stream->id);
	}
	if (stream->state == ENDING && (!stream->work || now() >= stream->due)) {
		release(stream);
		stream->state = ENDED;
		happened(stream->session, stream->name, "ended", json_pack("{ss*}", "how", stream->how));
		if (!stream->session)
			forget_stream(stream);
	}
}

void device_step(void)
{
	cm_events();
	async_events();
	queue_events();
	for (struct stream *it = streams, *next; it; it = next) {
		next = it->next;
		mind(it);
	}
}

/* How long nothing is to be done. A message that raises no event is found by looking. */
int device_patience(void)
{
	return streams ? BUSY : WAITING;
}

/* Drops streams and memory of a session, windows first; nothing is said of it. */
json_t *reset(struct session *session, json_t *params)
{
	(void)params;
	for (struct stream *it = streams, *next; it; it = next) {
		next = it->next;
		if (it->session == session)
			forget_stream(it);
	}
	for (int windows_too = 0; windows_too <= 1; windows_too++)
		for (struct region *it = regions, *next; it; it = next) {
			next = it->next;
			if (it->session == session && (it->of || windows_too) && !forget_region(it))
				it->session = NULL;      /* the device keeps it; nobody can name it any more */
		}
	for (int i = 1; i < DOMAINS; i++)
		if (domains[i].pd && !ibv_dealloc_pd(domains[i].pd))
			domains[i].pd = NULL;
	return json_null();
}

json_t *capabilities(struct session *session, json_t *params)
{
	const struct { const char *names; bool has; } all[] = {
		{ "send", true }, { "rdma-write", true }, { "rdma-read", true }, { "fence", true }, { "private-data", true },
		{ "several-streams", true }, { "opens-streams", true }, { "protection-domains", true }, { "invalidate", true },
		{ "given-offsets", true }, { "zero-based", any_offset }, { "windows", windows || stream_windows },
		{ "stream-scope", stream_windows }, { "file-backing", files }, { "solicited-events", solicited },
		{ "invalidated-tags", reports_stag }, { "domain-invalidate", takes_stag }, { "enhanced-setup", depths_reported },
		{ "atomics", has_atomics() },
	};
	json_t *abilities = json_array();
	char runner[80], name[160];
	(void)params;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].has)
			json_array_append_new(abilities, json_string(all[i].names));
	place_of((struct sockaddr *)&session->runner, runner, sizeof runner);
	snprintf(name, sizeof name, "%s, firmware %s", ibv_get_device_name(device->device), limits.fw_ver);
	return json_pack("{si ss ss ss so s[s] ss s{si si si si si si si si si}}", "protocol", 1, "agent", name, "runner", runner,
			 "listens", listens, "abilities", abilities, "profiles", profile(), "profile", profile(), "limits",
			 "regions", REGIONS, "region_length", REGION_BYTES, "streams", STREAMS, "receives", RECEIVES,
			 "receive_size", RECEIVE_BYTES, "work", WORK, "private_data", PRIVATE, "ird", limits.max_qp_rd_atom,
			 "ord", limits.max_qp_init_rd_atom);
}

const char *device_open(const char *address, const char *port, const char *in, struct pollfd fds[DEVICE_FDS])
{
	struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_PASSIVE }, *at;
	folder = in;
	if (getaddrinfo(address, port, &hints, &at))
		fatal("-a takes an address of the RDMA device");
	if (!(channel = rdma_create_event_channel()) || rdma_create_id(channel, &listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(listener, at->ai_addr) || rdma_listen(listener, STREAMS) || !(device = listener->verbs))
		fatal("cannot listen for streams");
	place_of(at->ai_addr, listens, sizeof listens);
	freeaddrinfo(at);
	if (ibv_query_device(device, &limits) || !domain(USUAL) || !(completions = ibv_create_comp_channel(device)))
		fatal("the device cannot be used");
	fds[0].fd = channel->fd;
	fds[1].fd = device->async_fd;
	fds[2].fd = completions->fd;
	for (int i = 0; i < DEVICE_FDS; i++) {
		fds[i].events = POLLIN;
		fcntl(fds[i].fd, F_SETFL, O_NONBLOCK);
	}
	return listens;
}

/* ---- What the device can do is tried, on a stream of the agent to itself ---- */

/* Makes a call, and takes its parameters over. */
static json_t *ask(const char *method, json_t *params)
{
	json_t *result = call(&own, method, params);
	json_decref(params);
	return result;
}

/* Waits for so many events of a kind, of a stream or of either; gives the latest. */
static json_t *heard(const char *stream, const char *event, size_t many, int patience)
{
	int64_t until = now() + patience;
	json_t *it;
	size_t i;
	do {
		size_t count = 0;
		device_step();
		json_array_foreach(own.heard, i, it)
			if (!strcmp(text_of(it, "event", ""), event) &&
			    (!stream || !strcmp(text_of(it, "stream", ""), stream)) && ++count == many)
				return it;
		poll(NULL, 0, 1);
	} while (now() < until);
	return NULL;
}

/* Drops what was there, and makes a stream from `out` to `in`. */
static bool looped(const char *address, const char *port)
{
	reset(&own, NULL);
	json_array_clear(own.heard);
	ask("prepare", json_pack("{ss ss si si}", "stream", "in", "from", listens, "receives", 2, "receive_size", 8));
	ask("open", json_pack("{ss ss si si si}", "stream", "out", "address", address, "port", atoi(port), "ird", OWN_IRD, "ord",
			      OWN_ORD));
	return heard(NULL, "established", 2, WAITING);
}

/* Registers two bytes in one of the ways that the protocol has; gives the STag. */
static json_int_t region_with(const char *key, const char *value)
{
	json_t *region = ask("register", json_pack("{ss si s[ss] ss ss}", "region", "r", "length", 2, "rights", "read", "write",
						   "stream", "in", key, value));
	json_int_t stag = number_of(region, "stag", 0);
	json_decref(region);
	return stag;
}

/* Has `out` send two bytes, or write them to the beginning of the region. */
static void speak(const char *operation, const char *flag, json_int_t stag)
{
	char to[24];
	snprintf(to, sizeof to, "0x%llx", regions ? (unsigned long long)regions->base : 0);
	ask("post", json_pack("{ss si ss s[s] ss sI ss sI}", "stream", "out", "identifier", 1, "operation", operation, "flags",
			      flag, "payload", "abcd", "stag", stag, "to", to, "invalidate_stag", stag));
}

void device_try(const char *address, const char *port)
{
	static const enum ibv_mw_type types[] = { IBV_MW_TYPE_1, IBV_MW_TYPE_2 };
	bool *const found[] = { &windows, &stream_windows };
	json_int_t stag;
	own.heard = json_array();
	for (int i = 0; i < 2; i++) {
		struct ibv_mw *window = ibv_alloc_mw(domain(USUAL), types[i]);
		*found[i] = window && !ibv_dealloc_mw(window);
	}
	files = any_offset = solicited = true;
	files = folder && region_with("backing", "file");
	if (looped(address, port) && (stag = region_with("base", "0x0"))) {
		speak("rdma_write", "fence", stag);
		heard(NULL, "ended", 1, 20 * BUSY);
		any_offset = !memcmp(regions->bytes, "\xab\xcd", 2);
	} else {
		any_offset = false;
	}
	if (looped(address, port) && (stag = region_with("scope", stream_windows ? "stream" : "protection_domain"))) {
		json_t *arrival;
		speak("send", "invalidate", stag);
		if ((arrival = heard(NULL, "arrival", 1, WAITING))) {
			reports_stag = json_object_get(arrival, "invalidated_stag");
			speak("rdma_write", "fence", stag);
			takes_stag = !stream_windows && heard(NULL, "ended", 1, WAITING) && memcmp(regions->bytes, "\xab\xcd", 2);
		}
	}
	if (looped(address, port))
		speak("send", "fence", 0);
	else
		fprintf(stderr, "agent: the device does not connect to itself: what is tried so is left out\n");
	solicited = heard(NULL, "arrival", 1, WAITING) && !heard("in", "solicited_event", 1, 20 * BUSY);
	speak("send", "solicited", 0);
	solicited = solicited && heard(NULL, "arrival", 2, WAITING) && heard("in", "solicited_event", 1, 20 * BUSY);
	if (!windows)                            /* those of a Protection Domain are bound on this stream */
		reset(&own, NULL);
}

package io.statestore.broker.server;

import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.ProtocolDialect;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link StateStoreServer}. Start with {@link #defaults()}.
 *
 * @param wallClock returns milliseconds since 1970, for versions; may jump
 * @param nanoClock returns a monotonic clock's reading in nanoseconds, for expiry
 * @param quota the store's limits
 * @param replyMemory estimated memory of remembered replies, in bytes
 * @param protocolDialect the protocol dialect (protocol section 9)
 * @param scheduler expires keys, and executes requests in place of a busy caller. The
 * server does not shut it down. It must never be blocked or stopped, because any client's
 * requests may be waiting for it. If {@code null}, the server creates a scheduler with
 * one daemon thread
 * @param storage the data directory and its settings, or {@code null} to keep the data in
 * memory
 * @param time the timer for expiries; tracks work for tests
 */
public record StateStoreServerOptions(LongSupplier wallClock, LongSupplier nanoClock, Quota quota, long replyMemory,
		ProtocolDialect protocolDialect, @Nullable ScheduledExecutorService scheduler, @Nullable StorageOptions storage,
		TimeSource time) {

	/**
	 * Returns the default options: system clocks, no quota, a sixteenth of the heap for
	 * remembered replies, and the protocol dialect used by deployed clients.
	 * @return the default options
	 */
	public static StateStoreServerOptions defaults() {
		return new StateStoreServerOptions(System::currentTimeMillis, System::nanoTime, Quota.UNLIMITED,
				Limits.ofThisJvm().replyMemory(), ProtocolDialect.CLIENTS, null, null, TimeSource.SYSTEM);
	}

	/**
	 * Returns a copy with a different wall clock.
	 * @param wallClock returns milliseconds since 1970
	 * @return new options
	 */
	public StateStoreServerOptions withWallClock(LongSupplier wallClock) {
		return new StateStoreServerOptions(wallClock, this.nanoClock, this.quota, this.replyMemory,
				this.protocolDialect, this.scheduler, this.storage, this.time);
	}

	/**
	 * Returns a copy with a different monotonic clock.
	 * @param nanoClock returns a monotonic clock's reading in nanoseconds
	 * @return new options
	 */
	public StateStoreServerOptions withNanoClock(LongSupplier nanoClock) {
		return new StateStoreServerOptions(this.wallClock, nanoClock, this.quota, this.replyMemory,
				this.protocolDialect, this.scheduler, this.storage, this.time);
	}

	/**
	 * Returns a copy with a different quota.
	 * @param quota the store's limits
	 * @return new options
	 */
	public StateStoreServerOptions withQuota(Quota quota) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, quota, this.replyMemory,
				this.protocolDialect, this.scheduler, this.storage, this.time);
	}

	/**
	 * Returns a copy with a different memory limit for remembered replies.
	 * @param replyMemory estimated memory, in bytes
	 * @return new options
	 */
	public StateStoreServerOptions withReplyMemory(long replyMemory) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, this.quota, replyMemory,
				this.protocolDialect, this.scheduler, this.storage, this.time);
	}

	/**
	 * Returns a copy with a different protocol dialect.
	 * @param protocolDialect the dialect in which to decode requests and encode replies
	 * @return new options
	 */
	public StateStoreServerOptions withProtocolDialect(ProtocolDialect protocolDialect) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, this.quota, this.replyMemory,
				protocolDialect, this.scheduler, this.storage, this.time);
	}

	/**
	 * Returns a copy with a different scheduler.
	 * @param scheduler the scheduler, see {@link StateStoreServerOptions}
	 * @return new options
	 */
	public StateStoreServerOptions withScheduler(ScheduledExecutorService scheduler) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, this.quota, this.replyMemory,
				this.protocolDialect, scheduler, this.storage, this.time);
	}

	/**
	 * Returns a copy with a directory.
	 * @param storage the directory and its fsync and persistence settings
	 * @return new options
	 */
	public StateStoreServerOptions withStorage(StorageOptions storage) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, this.quota, this.replyMemory,
				this.protocolDialect, this.scheduler, storage, this.time);
	}

	/**
	 * Returns a copy with a different time source for the clocks and the expiry timer.
	 * @param time the time source
	 * @return new options
	 */
	public StateStoreServerOptions withTime(TimeSource time) {
		return new StateStoreServerOptions(time::currentTimeMillis, time::nanoTime, this.quota, this.replyMemory,
				this.protocolDialect, this.scheduler, this.storage, time);
	}

}

package io.statestore.broker.server;

import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.storage.RecoveryListener;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.protocol.ProtocolDialect;
import io.statestore.time.TimeSource;
import org.jspecify.annotations.Nullable;

/**
 * Options of a {@link StateStoreServer}. Start with {@link #defaults()}.
 *
 * @param wallClock milliseconds since 1970, for versions; may jump
 * @param nanoClock monotonic clock in nanoseconds, for expiry
 * @param quota limits of the store
 * @param replyMemory estimated memory of remembered replies, in bytes
 * @param protocolDialect the protocol dialect of messages (protocol section 9)
 * @param scheduler runs expiries, and takes over requests from a busy caller. The server
 * does not shut it down. It must never be blocked or stopped, because requests of every
 * client may wait for it. {@code null} for a scheduler of the server with one daemon
 * thread
 * @param storage the directory of the data, or {@code null} to keep it in memory
 * @param recoveryListener receives the progress of a recovery, or {@code null} for none
 * @param time the timer of expiries, and the tracker of work for tests
 */
public record StateStoreServerOptions(LongSupplier wallClock, LongSupplier nanoClock, Quota quota, long replyMemory,
		ProtocolDialect protocolDialect, @Nullable ScheduledExecutorService scheduler, @Nullable StorageOptions storage,
		@Nullable RecoveryListener recoveryListener, TimeSource time) {

	/**
	 * Returns the default options: the clocks of the system, no quota, a sixteenth of the
	 * heap for remembered replies, and the protocol dialect of deployed clients.
	 * @return the options
	 */
	public static StateStoreServerOptions defaults() {
		return new StateStoreServerOptions(System::currentTimeMillis, System::nanoTime, Quota.UNLIMITED,
				Limits.ofThisJvm().replyMemory(), ProtocolDialect.CLIENTS, null, null, null, TimeSource.SYSTEM);
	}

	/**
	 * Returns options with another wall clock.
	 * @param wallClock milliseconds since 1970
	 * @return new options
	 */
	public StateStoreServerOptions withWallClock(LongSupplier wallClock) {
		return new StateStoreServerOptions(wallClock, this.nanoClock, this.quota, this.replyMemory,
				this.protocolDialect, this.scheduler, this.storage, this.recoveryListener, this.time);
	}

	/**
	 * Returns options with another monotonic clock.
	 * @param nanoClock monotonic clock in nanoseconds
	 * @return new options
	 */
	public StateStoreServerOptions withNanoClock(LongSupplier nanoClock) {
		return new StateStoreServerOptions(this.wallClock, nanoClock, this.quota, this.replyMemory,
				this.protocolDialect, this.scheduler, this.storage, this.recoveryListener, this.time);
	}

	/**
	 * Returns options with other limits of the store.
	 * @param quota the limits
	 * @return new options
	 */
	public StateStoreServerOptions withQuota(Quota quota) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, quota, this.replyMemory,
				this.protocolDialect, this.scheduler, this.storage, this.recoveryListener, this.time);
	}

	/**
	 * Returns options with another memory of remembered replies.
	 * @param replyMemory estimated memory in bytes
	 * @return new options
	 */
	public StateStoreServerOptions withReplyMemory(long replyMemory) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, this.quota, replyMemory,
				this.protocolDialect, this.scheduler, this.storage, this.recoveryListener, this.time);
	}

	/**
	 * Returns options with another protocol dialect.
	 * @param protocolDialect the protocol dialect
	 * @return new options
	 */
	public StateStoreServerOptions withProtocolDialect(ProtocolDialect protocolDialect) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, this.quota, this.replyMemory,
				protocolDialect, this.scheduler, this.storage, this.recoveryListener, this.time);
	}

	/**
	 * Returns options with another scheduler.
	 * @param scheduler the scheduler, see {@link StateStoreServerOptions}
	 * @return new options
	 */
	public StateStoreServerOptions withScheduler(ScheduledExecutorService scheduler) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, this.quota, this.replyMemory,
				this.protocolDialect, scheduler, this.storage, this.recoveryListener, this.time);
	}

	/**
	 * Returns options with a directory.
	 * @param storage the directory and its fsync and persistence settings
	 * @return new options
	 */
	public StateStoreServerOptions withStorage(StorageOptions storage) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, this.quota, this.replyMemory,
				this.protocolDialect, this.scheduler, storage, this.recoveryListener, this.time);
	}

	/**
	 * Returns options with another listener for the recovery of the store.
	 * @param recoveryListener receives the progress of a recovery
	 * @return new options
	 */
	public StateStoreServerOptions withRecoveryListener(RecoveryListener recoveryListener) {
		return new StateStoreServerOptions(this.wallClock, this.nanoClock, this.quota, this.replyMemory,
				this.protocolDialect, this.scheduler, this.storage, recoveryListener, this.time);
	}

	/**
	 * Returns options with another time for the clocks and the timer of expiries.
	 * @param time the time
	 * @return new options
	 */
	public StateStoreServerOptions withTime(TimeSource time) {
		return new StateStoreServerOptions(time::currentTimeMillis, time::nanoTime, this.quota, this.replyMemory,
				this.protocolDialect, this.scheduler, this.storage, this.recoveryListener, time);
	}

}

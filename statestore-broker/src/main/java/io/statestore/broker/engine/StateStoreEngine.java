package io.statestore.broker.engine;

import java.security.SecureRandom;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.Notification;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * A {@link StateMachine} with observers and without a log.
 *
 * @param <O> the type of observers
 */
public final class StateStoreEngine<O> {

	/** A version smaller than every version of a store. */
	public static final Version BEFORE_ALL = StateMachine.BEFORE_ALL;

	private final LongSupplier wallClock;

	private final LongSupplier nanoClock;

	private final long origin;

	private final Quota quota;

	private final Observations<O> observations = new Observations<>();

	private final ObserverListener<O> listener;

	private final @Nullable ChangeLog<O> log;

	private final StateMachine machine;

	private final SeenClock seen;

	private @Nullable O author;

	/**
	 * Creates an empty store.
	 * @param wallClock milliseconds since 1970
	 * @param nanoClock nanoseconds of a monotonic clock
	 * @param quota the limits
	 * @param listener the listener for changes of observed keys
	 */
	public StateStoreEngine(LongSupplier wallClock, LongSupplier nanoClock, Quota quota, ObserverListener<O> listener) {
		this(wallClock, nanoClock, quota, listener, null, BEFORE_ALL);
	}

	/**
	 * Creates an empty store.
	 * @param wallClock milliseconds since 1970
	 * @param nanoClock nanoseconds of a monotonic clock
	 * @param quota the limits
	 * @param listener the listener for changes of observed keys
	 * @param log the listener for all changes, or {@code null} for none
	 * @param last a version that all new versions exceed
	 */
	public StateStoreEngine(LongSupplier wallClock, LongSupplier nanoClock, Quota quota, ObserverListener<O> listener,
			@Nullable ChangeLog<O> log, Version last) {
		this.wallClock = wallClock;
		this.nanoClock = nanoClock;
		this.origin = nanoClock.getAsLong();
		this.quota = quota;
		this.listener = listener;
		this.log = log;
		this.machine = new StateMachine(this::changed);
		this.seen = new SeenClock(this.machine);
		startAfter(last);
	}

	private void changed(Bytes key, @Nullable Bytes value, Version version, @Nullable String clientId) {
		if (this.log != null) {
			this.log.changed(key.compact(), (value != null) ? value.compact() : null, version,
					(clientId != null) ? this.author : null);
		}
		Set<O> observers = this.observations.of(key);
		if (!observers.isEmpty()) {
			this.listener.changed(key, (value != null) ? new Notification.Set(value) : new Notification.Delete(),
					version, observers);
		}
	}

	private long now() {
		return this.nanoClock.getAsLong() - this.origin;
	}

	/**
	 * Executes a request.
	 * @param request the request
	 * @return the answer
	 */
	public Answer apply(Request<O> request) {
		long now = now();
		long wall = this.wallClock.getAsLong();
		Command command = request.command();
		if (command instanceof Command.Write write) {
			this.author = request.observer();
			return this.machine.apply(new LogEntry.Write(now, wall, this.seen.pending(), write, request.timestamp(),
					request.fencingToken(), "", Bytes.EMPTY, 0, null, false, null, null));
		}
		this.seen.receive(request.timestamp(), wall);
		if (command instanceof Command.KeyNotify keyNotify) {
			this.observations.add(request.observer(), keyNotify.key());
			return Answer.OK;
		}
		if (command instanceof Command.KeyNotifyStop stop) {
			return this.observations.remove(request.observer(), stop.key()) ? Answer.OK : Answer.NOTHING;
		}
		if (command instanceof Command.Get get) {
			removeIfDue(get.key(), now, wall);
		}
		else {
			expire(List.of(), now, wall);
		}
		return this.machine.read(command);
	}

	private void removeIfDue(Bytes key, long now, long wall) {
		if (this.machine.isDue(key, now)) {
			expire(List.of(key), now, wall);
		}
	}

	private void expire(List<Bytes> keys, long now, long wall) {
		this.machine.apply(new LogEntry.Expire(now, wall, this.seen.pending(), keys));
	}

	/**
	 * Returns whether an observer observes a key.
	 * @param observer the observer
	 * @param key the key
	 * @return whether the observation exists
	 */
	public boolean isObserved(O observer, Bytes key) {
		return this.observations.contains(observer, key);
	}

	/**
	 * Makes all later versions greater than a version.
	 * @param last the version
	 */
	public void startAfter(Version last) {
		this.machine.apply(new LogEntry.Start(now(), this.wallClock.getAsLong(), null, new SecureRandom().nextLong(),
				this.quota.maxKeys(), this.quota.maxBytes(), 0, last, true));
	}

	/**
	 * Resumes an observation.
	 * @param observer the observer
	 * @param key the key
	 */
	public void resume(O observer, Bytes key) {
		long now = now();
		long wall = this.wallClock.getAsLong();
		removeIfDue(key, now, wall);
		this.observations.add(observer, key);
		Answer answer = this.machine.read(new Command.Get(key));
		Version version = answer.version();
		if (version != null && answer.reply() instanceof Reply.Value value) {
			this.listener.changed(key, new Notification.Set(value.value()), version, Set.of(observer));
		}
		else {
			Version issued = this.machine.apply(new LogEntry.Issue(now, wall, null)).version();
			if (issued != null) {
				this.listener.changed(key, new Notification.Delete(), issued, Set.of(observer));
			}
		}
	}

	/**
	 * Removes all observations of an observer.
	 * @param observer the observer
	 */
	public void disconnected(O observer) {
		this.observations.removeAll(observer);
	}

	/**
	 * Removes expired keys.
	 * @param limit the maximum number of keys
	 * @return whether there are more
	 */
	public boolean expire(int limit) {
		long now = now();
		expire(this.machine.due(now, limit), now, this.wallClock.getAsLong());
		return this.machine.nextDeadline() <= now;
	}

	/**
	 * Returns the time before which {@link #expire(int)} has no work.
	 * @return the time, {@link Long#MAX_VALUE} if no key has an expiry
	 */
	public long nextDeadline() {
		return this.machine.nextDeadline();
	}

	/**
	 * Returns the time for which {@link #expire(int)} has no work.
	 * @return nanoseconds, {@link Long#MAX_VALUE} if no key has an expiry
	 */
	public long nanosToNextDeadline() {
		long deadline = nextDeadline();
		return (deadline != Long.MAX_VALUE) ? Math.max(0, deadline - now()) : Long.MAX_VALUE;
	}

	/**
	 * Returns the number of keys.
	 * @return the number of keys
	 */
	public long keyCount() {
		return this.machine.keyCount();
	}

	/**
	 * Returns the total size of keys, values, and node ids of fencing tokens.
	 * @return the number of bytes
	 */
	public long byteCount() {
		return this.machine.byteCount();
	}

	/**
	 * Returns the number of observed keys.
	 * @return the number of keys
	 */
	public long observedKeyCount() {
		return this.observations.keyCount();
	}

}

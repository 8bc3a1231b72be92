package io.statestore.broker.engine;

import java.util.Set;
import java.util.function.LongSupplier;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.Notification;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The state store as a state machine: requests in, answers and changes out (protocol
 * sections 2 to 6 and 10). All data is in memory. The engine has no transport, no
 * threads, and no clock of its own.
 * <p>
 * Not safe for use by several threads. Results depend only on the order of the calls and
 * the readings of the two clocks, except for the order of keys in a SCAN.
 * <p>
 * An expired key is absent for all later requests. Its observers are notified by the next
 * request for the key or by {@link #expire(int)}, whichever comes first. The owner of the
 * engine must call {@link #expire(int)} within {@link #nanosToNextDeadline()}.
 *
 * @param <O> the type of observers, such as a connection, compared by identity
 */
public final class StateStoreEngine<O> {

	/** A version smaller than every version of a store. */
	public static final Version BEFORE_ALL = new Version(0, 0, VersionClock.NODE_ID);

	private final VersionClock clock;

	private final KeySpace keys;

	private final Scanner scanner;

	private final Observations<O> observations = new Observations<>();

	private final ObserverListener<O> listener;

	private final @Nullable ChangeLog<O> log;

	/**
	 * Creates an empty store.
	 * @param wallClock milliseconds since 1970, for versions; may jump
	 * @param nanoClock nanoseconds of a monotonic clock, for expiry
	 * @param quota the limits of the store
	 * @param listener the listener for changes of observed keys
	 */
	public StateStoreEngine(LongSupplier wallClock, LongSupplier nanoClock, Quota quota, ObserverListener<O> listener) {
		this(wallClock, nanoClock, quota, listener, null, BEFORE_ALL);
	}

	/**
	 * Creates an empty store whose versions continue those of an earlier one.
	 * @param wallClock milliseconds since 1970, for versions; may jump
	 * @param nanoClock nanoseconds of a monotonic clock, for expiry
	 * @param quota the limits of the store
	 * @param listener the listener for changes of observed keys
	 * @param log the listener for all changes, or {@code null} for none
	 * @param last a version that all new versions exceed, see {@link #BEFORE_ALL}
	 */
	public StateStoreEngine(LongSupplier wallClock, LongSupplier nanoClock, Quota quota, ObserverListener<O> listener,
			@Nullable ChangeLog<O> log, Version last) {
		this.clock = new VersionClock(last, wallClock);
		this.keys = new KeySpace(nanoClock, quota);
		this.scanner = new Scanner(this.keys);
		this.listener = listener;
		this.log = log;
	}

	/**
	 * Executes a request.
	 * @param request the request
	 * @return the answer, also for errors of the protocol
	 */
	public Answer apply(Request<O> request) {
		try {
			begin();
			Version token = this.clock.receive(request);
			return apply(request.command(), token, request.observer());
		}
		catch (ProtocolException ex) {
			return Answer.refused(ex.reason());
		}
	}

	private Answer apply(Command command, @Nullable Version token, O observer) {
		if (command instanceof Command.Get get) {
			return get(get);
		}
		if (command instanceof Command.Set set) {
			return set(set, token, observer);
		}
		if (command instanceof Command.Del del) {
			return delete(del.key(), null, token, observer);
		}
		if (command instanceof Command.VDel vdel) {
			return delete(vdel.key(), vdel.value(), token, observer);
		}
		if (command instanceof Command.KeyNotify keyNotify) {
			this.observations.add(observer, keyNotify.key());
			return Answer.OK;
		}
		if (command instanceof Command.KeyNotifyStop stop) {
			return this.observations.remove(observer, stop.key()) ? Answer.OK : Answer.NOTHING;
		}
		return new Answer(this.scanner.page((Command.Scan) command), null);
	}

	/**
	 * Returns whether an observer observes a key.
	 * @param observer the observer, compared by identity
	 * @param key the key
	 * @return whether the observation exists
	 */
	public boolean isObserved(O observer, Bytes key) {
		return this.observations.contains(observer, key);
	}

	/**
	 * Makes all later versions greater than a version.
	 * @param last a version that an earlier engine of the same store may have issued
	 */
	public void startAfter(Version last) {
		begin();
		this.clock.startAfter(last);
	}

	/**
	 * Resumes an observation of an earlier engine of the same store. The observer is
	 * notified of the current value of the key, or of its deletion.
	 * @param observer the observer, compared by identity
	 * @param key the key
	 */
	public void resume(O observer, Bytes key) {
		begin();
		Entry entry = find(this.keys.table().hash(key), key);
		this.observations.add(observer, key);
		if (entry != null) {
			this.listener.changed(entry.key(), new Notification.Set(entry.value()), entry.version(), Set.of(observer));
		}
		else {
			this.listener.changed(key, new Notification.Delete(), this.clock.tick(), Set.of(observer));
		}
	}

	/**
	 * Removes all observations of an observer.
	 * @param observer the observer, compared by identity
	 */
	public void disconnected(O observer) {
		this.observations.removeAll(observer);
	}

	/**
	 * Removes expired keys.
	 * @param limit the approximate maximum number of keys, so that requests do not wait
	 * for a million removals
	 * @return whether there are more
	 */
	public boolean expire(int limit) {
		begin();
		return this.keys.takeExpired(limit, this::expire);
	}

	private void begin() {
		this.keys.begin();
		this.clock.begin();
	}

	/**
	 * Returns the time before which {@link #expire(int)} has no work. It is only
	 * comparable with earlier results.
	 * @return the time, {@link Long#MAX_VALUE} if no key has an expiry
	 */
	public long nextDeadline() {
		return this.keys.nextDeadline();
	}

	/**
	 * Returns the time for which {@link #expire(int)} has no work.
	 * @return nanoseconds, {@link Long#MAX_VALUE} if no key has an expiry
	 */
	public long nanosToNextDeadline() {
		return this.keys.nanosToNextDeadline();
	}

	/**
	 * Returns the number of keys, including expired ones that have not been removed.
	 * @return the number of keys
	 */
	public long keyCount() {
		return this.keys.table().size();
	}

	/**
	 * Returns the total size of keys, values, and node ids of fencing tokens.
	 * @return the number of bytes
	 */
	public long byteCount() {
		return this.keys.byteCount();
	}

	/**
	 * Returns the number of observed keys.
	 * @return the number of keys with at least one observer
	 */
	public long observedKeyCount() {
		return this.observations.keyCount();
	}

	private Answer get(Command.Get get) {
		Entry entry = find(this.keys.table().hash(get.key()), get.key());
		return (entry != null) ? new Answer(new Reply.Value(entry.value()), entry.version()) : Answer.MISSING;
	}

	private Answer set(Command.Set set, @Nullable Version token, O author) {
		int hash = this.keys.table().hash(set.key());
		Entry entry = find(hash, set.key());
		if (entry != null) {
			checkFence(entry, token);
			if (!allows(set, entry)) {
				return Answer.notApplied(entry.version());
			}
		}
		requireRoom(entry, set, token);
		// The renewal of a lease keeps the value.
		boolean renewed = set.condition() == Command.Condition.IF_ABSENT_OR_EQUAL && entry != null;
		Version version = this.clock.tick();
		entry = this.keys.store(entry, hash, set, renewed, version, token);
		if (this.log != null) {
			this.log.changed(entry.key(), entry.value(), version, author);
		}
		Set<O> observers = this.observations.of(set.key());
		if (!observers.isEmpty()) {
			this.listener.changed(entry.key(), new Notification.Set(entry.value()), version, observers);
		}
		return Answer.stored(version);
	}

	private Answer delete(Bytes key, @Nullable Bytes expected, @Nullable Version token, O author) {
		Entry entry = find(this.keys.table().hash(key), key);
		if (entry == null) {
			return Answer.NOTHING;
		}
		checkFence(entry, token);
		if (expected != null && !entry.value().equals(expected)) {
			return Answer.notApplied(entry.version());
		}
		return Answer.deleted(remove(entry, author));
	}

	/** Returns the entry of a key. An expired entry is removed first. */
	private @Nullable Entry find(int hash, Bytes key) {
		Entry entry = this.keys.table().find(hash, key);
		if (entry != null && this.keys.isExpired(entry)) {
			expire(entry);
			return null;
		}
		return entry;
	}

	private void expire(Entry entry) {
		remove(entry, null);
	}

	private Version remove(Entry entry, @Nullable O author) {
		Version version = this.clock.tick();
		this.keys.remove(entry);
		Bytes key = entry.key();
		if (this.log != null) {
			this.log.changed(key, null, version, author);
		}
		Set<O> observers = this.observations.of(key);
		if (!observers.isEmpty()) {
			this.listener.changed(key, new Notification.Delete(), version, observers);
		}
		return version;
	}

	private static void checkFence(Entry entry, @Nullable Version token) {
		Version fence = entry.fence();
		if (fence == null) {
			return;
		}
		if (token == null) {
			throw new ProtocolException(ErrorReason.FENCING_TOKEN_REQUIRED);
		}
		if (token.compareTo(fence) < 0) {
			throw new ProtocolException(ErrorReason.FENCING_TOKEN_LOWER_VERSION);
		}
	}

	private static boolean allows(Command.Set set, Entry entry) {
		return switch (set.condition()) {
			case ALWAYS -> true;
			case IF_ABSENT -> false;
			case IF_ABSENT_OR_EQUAL -> entry.value().equals(set.value());
		};
	}

	private void requireRoom(@Nullable Entry entry, Command.Set set, @Nullable Version token) {
		if (this.keys.hasRoom(entry, set.key(), set.value(), token)) {
			return;
		}
		// Expired keys do not count towards the quota.
		this.keys.takeExpired(Integer.MAX_VALUE, this::expire);
		if (!this.keys.hasRoom(entry, set.key(), set.value(), token)) {
			throw new ProtocolException(ErrorReason.QUOTA_EXCEEDED);
		}
	}

}

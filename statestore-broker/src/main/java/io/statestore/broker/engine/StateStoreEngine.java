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
 * State machine of the state store, which turns requests into answers and changes
 * (protocol sections 2 to 6 and 10). It holds all data in memory, and has no transport,
 * threads, or clock of its own. Not thread-safe.
 * <p>
 * The same calls in the same order with the same readings of both clocks have the same
 * results, except for the order of keys in a SCAN.
 * <p>
 * An expired key is invisible to all requests. Its observers are notified by the next
 * request for the key or by {@link #expire(int)}, whichever comes first. The owner of the
 * engine calls {@link #expire(int)} after {@link #nanosToNextDeadline()} at the latest.
 * <p>
 * A fencing token protects a key from writes of earlier holders of a lock (protocol
 * section 5; Kleppmann, "How to do distributed locking", 2016).
 *
 * @param <O> type of the observers, such as connections, which are compared by identity
 */
public final class StateStoreEngine<O> {

	/** Version before all versions of changes. */
	public static final Version BEFORE_ALL = new Version(0, 0, VersionClock.NODE_ID);

	private final VersionClock clock;

	private final KeySpace keys;

	private final Scanner scanner;

	private final Observations<O> observations = new Observations<>();

	private final ChangeListener<O> listener;

	private final @Nullable ChangeLog<O> log;

	/**
	 * Creates an empty engine without a change log.
	 * @param wallClock milliseconds since 1970, for versions; may jump
	 * @param nanoClock nanoseconds since an arbitrary time, for expiry; never goes back
	 * @param quota limits of the store
	 * @param listener listener for changes of observed keys
	 */
	public StateStoreEngine(LongSupplier wallClock, LongSupplier nanoClock, Quota quota, ChangeListener<O> listener) {
		this(wallClock, nanoClock, quota, listener, null, BEFORE_ALL);
	}

	/**
	 * Creates an empty engine.
	 * @param wallClock milliseconds since 1970, for versions; may jump
	 * @param nanoClock nanoseconds since an arbitrary time, for expiry; never goes back
	 * @param quota limits of the store
	 * @param listener listener for changes of observed keys
	 * @param log listener for all changes, {@code null} for none
	 * @param last version that all versions of changes exceed; see {@link #BEFORE_ALL}
	 */
	public StateStoreEngine(LongSupplier wallClock, LongSupplier nanoClock, Quota quota, ChangeListener<O> listener,
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
	 * @return the answer, which may be an error
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
	 * @param observer the observer
	 * @param key the key
	 * @return whether there is an observation
	 */
	public boolean isObserved(O observer, Bytes key) {
		return this.observations.contains(observer, key);
	}

	/**
	 * Makes all later versions greater than a version.
	 * @param last upper limit of the versions of earlier engines of the same store
	 */
	public void startAfter(Version last) {
		begin();
		this.clock.startAfter(last);
	}

	/**
	 * Resumes an observation that an earlier engine of the same store has started.
	 * Notifies the observer of the current value of the key, or of its deletion.
	 * @param observer the observer
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
	 * Ends all observations of an observer.
	 * @param observer the observer
	 */
	public void disconnected(O observer) {
		this.observations.removeAll(observer);
	}

	/**
	 * Removes expired keys.
	 * @param limit approximate maximum number of keys to remove, so that requests do not
	 * wait until a million keys are removed
	 * @return whether more keys have expired
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
	 * Returns the earliest time at which a key may expire. It can only be compared with
	 * other results of this method.
	 * @return the time, {@link Long#MAX_VALUE} if no key has an expiry
	 */
	public long nextDeadline() {
		return this.keys.nextDeadline();
	}

	/**
	 * Returns the time until a key may expire.
	 * @return nanoseconds, {@link Long#MAX_VALUE} if no key has an expiry
	 */
	public long nanosToNextDeadline() {
		return this.keys.nanosToNextDeadline();
	}

	/**
	 * Returns the number of keys, including expired ones that are not removed yet.
	 * @return number of keys
	 */
	public long keyCount() {
		return this.keys.table().size();
	}

	/**
	 * Returns the total size of keys, values, and node ids of fencing tokens.
	 * @return number of bytes
	 */
	public long byteCount() {
		return this.keys.byteCount();
	}

	/**
	 * Returns the number of observed keys.
	 * @return number of keys
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
		// The renewal of a lease keeps the value
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

	/** Returns the entry of a key. Removes it first if it has expired. */
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
		// Expired keys must not use up the quota
		this.keys.takeExpired(Integer.MAX_VALUE, this::expire);
		if (!this.keys.hasRoom(entry, set.key(), set.value(), token)) {
			throw new ProtocolException(ErrorReason.QUOTA_EXCEEDED);
		}
	}

}

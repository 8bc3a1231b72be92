package io.statestore.broker.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.statestore.broker.codec.Decoder;
import io.statestore.broker.codec.StateFormatException;
import io.statestore.broker.session.Applied;
import io.statestore.broker.session.Sessions;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.Command;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.Reply;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * The state store as a state machine: entries of the command log in, answers and changes
 * out (protocol sections 2 to 5 and 10). All data is in memory: keys, answers to recent
 * requests, and MQTT sessions.
 * <p>
 * Deterministic: state, answers, and changes depend only on the applied entries and their
 * order. Two machines that applied the same entries are equal byte for byte, including
 * the pages of a SCAN. The same holds for a machine restored from another machine's
 * snapshot.
 * <p>
 * Not thread-safe. Only {@link #apply} changes the state.
 */
public final class StateMachine {

	/** A version smaller than every version that a store issues. */
	public static final Version BEFORE_ALL = new Version(0, 0, VersionClock.NODE_ID);

	private final VersionClock clock;

	private final KeySpace keys;

	private final KeyWriter writer;

	private final Scanner scanner;

	private final RequestMemory memory;

	private final Sessions sessions;

	/** Effect of the last session change. */
	private @Nullable Applied applied;

	/** Listener calls to make at the end of the current entry. */
	private final List<Runnable> changes = new ArrayList<>();

	private Version lastChange;

	private long maxLostMillis;

	private boolean started;

	/** Number of entries applied since this object was created. */
	private long entries;

	private boolean repeated;

	private boolean increment;

	/**
	 * Creates an empty machine. The first entry must be a {@link LogEntry.Start}.
	 * @param listener the listener for all changes
	 */
	public StateMachine(ChangeListener listener) {
		this(listener, new VersionClock(BEFORE_ALL), new KeySpace(new KeyTable(0)), new RequestMemory(), new Sessions(),
				BEFORE_ALL);
	}

	private StateMachine(ChangeListener listener, VersionClock clock, KeySpace keys, RequestMemory memory,
			Sessions sessions, Version lastChange) {
		this.clock = clock;
		this.keys = keys;
		this.lastChange = lastChange;
		this.writer = new KeyWriter(keys, clock, (key, value, version, author) -> {
			this.lastChange = version;
			this.changes.add(() -> listener.changed(key, value, version, author));
		});
		this.scanner = new Scanner(keys);
		this.memory = memory;
		this.sessions = sessions;
	}

	/**
	 * Restores a machine from a snapshot.
	 * @param snapshot the slices of a {@link StateSnapshot}. This method buffers the
	 * stream, and does not close it
	 * @param listener the listener for later changes
	 * @return the machine
	 * @throws IOException if the stream cannot be read
	 * @throws StateFormatException if the snapshot has a newer format, or is malformed
	 */
	public static StateMachine restore(InputStream snapshot, ChangeListener listener) throws IOException {
		try {
			SnapshotReader reader = new SnapshotReader(new Decoder(snapshot, "snapshot"));
			KeySpace keys = reader.read();
			StateMachine machine = new StateMachine(listener, reader.clock(), keys, reader.memory(), reader.sessions(),
					reader.lastChange());
			machine.maxLostMillis = reader.maxLostMillis();
			machine.started = true;
			return machine;
		}
		catch (UncheckedIOException ex) {
			throw ex.getCause();
		}
	}

	/**
	 * Returns the number of keys in a snapshot without restoring it.
	 * @param snapshot the slices of a {@link StateSnapshot}, of which only the beginning
	 * is read
	 * @return the number of keys, including expired keys that have not been removed
	 * @throws IOException if the stream cannot be read
	 * @throws StateFormatException if the snapshot has a newer format, or is malformed
	 */
	public static long keyCount(InputStream snapshot) throws IOException {
		try {
			return new SnapshotReader(new Decoder(snapshot, "snapshot")).size();
		}
		catch (UncheckedIOException ex) {
			throw ex.getCause();
		}
	}

	/**
	 * Applies an entry. Once all of its changes are made, they are passed to the listener
	 * before this method returns. After an error, the entry may be partly applied, the
	 * listener has received none of its changes, and the machine must not be used.
	 * @param entry the entry, whose log time must not be less than the previous entry's
	 * @return for a {@link LogEntry.Write}, the answer, which may be a protocol error;
	 * for {@link LogEntry.Expire}, the number of removed keys; for
	 * {@link LogEntry.Issue}, the version; for {@link LogEntry.Start} and
	 * {@link LogEntry.Session}, OK, see also {@link #applied()}
	 * @throws IllegalStateException if the machine has no {@link LogEntry.Start} yet
	 */
	public Answer apply(LogEntry entry) {
		if (!this.started && !(entry instanceof LogEntry.Start)) {
			throw new IllegalStateException("The first entry must be a start");
		}
		this.entries++;
		try {
			Answer answer = execute(entry);
			this.changes.forEach(Runnable::run);
			this.changes.clear();
			return answer;
		}
		catch (RuntimeException ex) {
			// The entry may be partly applied, so nodes may differ.
			throw new AssertionError("An entry of the log cannot be applied, so the store stops. This is a bug: "
					+ "report it with this stack trace. If every start fails with this message, run another version "
					+ "or restore a backup", ex);
		}
	}

	private Answer execute(LogEntry entry) {
		this.keys.advance(entry.logTime());
		this.clock.begin(entry.wallMillis());
		this.repeated = false;
		this.increment = false;
		Version seen = entry.seen();
		if (seen != null) {
			this.clock.merge(seen);
		}
		if (entry instanceof LogEntry.Write write) {
			return apply(write);
		}
		if (entry instanceof LogEntry.Expire expire) {
			return new Answer(new Reply.Count(this.writer.expire(expire.keys())), null);
		}
		if (entry instanceof LogEntry.Start start) {
			start(start);
			return Answer.OK;
		}
		if (entry instanceof LogEntry.Session session) {
			this.applied = this.sessions.apply(session.change(), this.keys.logTime());
			return Answer.OK;
		}
		return Answer.stored(this.clock.tick());
	}

	private Answer apply(LogEntry.Write write) {
		long now = this.keys.logTime();
		Answer known = this.memory.find(write.requester(), write.correlationData(), write.digest(), now);
		if (known != null) {
			this.repeated = true;
			return known;
		}
		this.increment = write.command() instanceof Command.Increment;
		Answer answer = execute(write);
		this.memory.remember(write, answer, now);
		return answer;
	}

	private Answer execute(LogEntry.Write write) {
		try {
			return this.writer.execute(write);
		}
		catch (ProtocolException ex) {
			return Answer.refused(ex.reason());
		}
	}

	private void start(LogEntry.Start start) {
		if (!this.started) {
			this.keys.seed(start.seed());
			this.started = true;
		}
		this.keys.limit(start.quota());
		this.sessions.limit(start.quota().sessionMemory(), start.quota().memoryPerSession());
		this.sessions.start(this.keys.logTime());
		this.memory.limit(start.replyMemory());
		this.maxLostMillis = start.maxLostMillis();
		Version after = start.after();
		if (after != null) {
			this.clock.merge(after);
		}
		if (!start.keepVolatile()) {
			this.writer.removeVolatile();
		}
	}

	/**
	 * Returns whether the last applied entry was a redelivered request.
	 * @return {@code true} if the remembered answer was returned and nothing changed
	 */
	public boolean isRepeated() {
		return this.repeated;
	}

	/**
	 * Returns the effect of the last {@link LogEntry.Session} that was applied.
	 * @return the effect, including what was refused
	 * @throws NullPointerException if this object has applied none
	 */
	public Applied applied() {
		return Objects.requireNonNull(this.applied);
	}

	/**
	 * Returns the MQTT sessions.
	 * @return the live sessions, which only {@link #apply} changes
	 */
	public Sessions sessions() {
		return this.sessions;
	}

	/**
	 * Returns whether the last applied write was refused only because its principal has
	 * too many keys, see {@link Quota#maxKeysPerUser()}.
	 * @return whether this limit, and not another limit of the quota, was exceeded
	 */
	public boolean isOverPrincipalLimit() {
		return !this.repeated && this.writer.isOverPrincipalLimit();
	}

	/**
	 * Executes a command that changes nothing. A key whose deadline is at most
	 * {@link #logTime()} counts as absent even if it is not removed yet.
	 * @param command a GET, TTL, or SCAN
	 * @return the answer, which may be a protocol error
	 * @throws IllegalArgumentException if the command is not one of these
	 */
	public Answer read(Command command) {
		return read(command, null);
	}

	/**
	 * Executes a command that changes nothing, see {@link #read(Command)}.
	 * @param command a GET, TTL, or SCAN
	 * @param visible selects the keys that a SCAN returns, {@code null} for all
	 * @return the answer, which may be a protocol error
	 */
	public Answer read(Command command, @Nullable KeySelection visible) {
		return read(command, visible, this.keys.logTime());
	}

	/**
	 * Executes a command that changes nothing, as of a given log time. A key whose
	 * deadline is at most this time counts as absent.
	 * @param command a GET, TTL, or SCAN
	 * @param visible selects the keys that a SCAN returns, {@code null} for all
	 * @param logTime the log time in nanoseconds, at least {@link #logTime()}
	 * @return the answer, which may be a protocol error
	 * @throws IllegalArgumentException if the command is not one of these
	 */
	public Answer read(Command command, @Nullable KeySelection visible, long logTime) {
		if (command instanceof Command.Read && command instanceof Command.Keyed keyed) {
			Entry entry = find(keyed.key());
			if (entry == null || KeySpace.isDue(entry, logTime)) {
				return Answer.MISSING;
			}
			return new Answer((command instanceof Command.Get) ? new Reply.Value(entry.value())
					: new Reply.Count(KeySpace.timeToLive(entry, logTime)), entry.version());
		}
		if (command instanceof Command.Scan scan) {
			try {
				return new Answer(this.scanner.page(scan, visible, logTime), null);
			}
			catch (ProtocolException ex) {
				return Answer.refused(ex.reason());
			}
		}
		throw new IllegalArgumentException("'command' must be a GET, TTL, or SCAN");
	}

	/**
	 * Visits the locks of a page. A key is a lock if its value was stored with an expiry
	 * and names a holder, or was stored again to renew its lease.
	 * @param query the request
	 * @param logTime the current log time in nanoseconds
	 * @param visitor receives the locks
	 * @return the next page's token, or {@code null} if this is the last page
	 * @throws ProtocolException if the pattern or the token is malformed
	 */
	public @Nullable Bytes locks(LockQuery query, long logTime, LockVisitor visitor) {
		return new LockScanner(this.keys, logTime, visitor).page(query);
	}

	private @Nullable Entry find(Bytes key) {
		return this.keys.table().find(this.keys.table().hash(key), key);
	}

	/**
	 * Returns the remembered answer to a write. Used when a request cannot be logged.
	 * @param requester the client that sent the request
	 * @param correlationData the correlation data of the request
	 * @param digest the digest of the payload
	 * @return the answer, or {@code null} if none is remembered
	 */
	public @Nullable Answer remembered(Requester requester, Bytes correlationData, int digest) {
		return this.memory.find(requester, correlationData, digest, this.keys.logTime());
	}

	/**
	 * Returns whether a key is still present although its deadline has passed at a log
	 * time.
	 * @param key the key to check
	 * @param logTime the log time in nanoseconds
	 * @return whether a {@link LogEntry.Expire} at this time would remove it
	 */
	public boolean isDue(Bytes key, long logTime) {
		if (logTime < nextDeadline()) {
			return false;
		}
		Entry entry = find(key);
		return entry != null && KeySpace.isDue(entry, logTime);
	}

	/**
	 * Returns keys for a {@link LogEntry.Expire}. Returns the same keys again until they
	 * are removed. One call visits at most about twice {@code limit} keys and returns
	 * about 1 MiB, so it might not return all due keys. {@link #nextDeadline()} has then
	 * passed.
	 * @param logTime the log time in nanoseconds; must not decrease
	 * @param limit maximum number of keys
	 * @return keys whose deadline has passed at this log time, possibly none
	 */
	public List<Bytes> due(long logTime, int limit) {
		return this.keys.due(logTime, limit);
	}

	/**
	 * Returns a log time before which no key is due. It may be earlier than the earliest
	 * deadline; {@link #due} then returns no keys, after which this method returns a
	 * later time.
	 * @return the log time in nanoseconds, {@link Long#MAX_VALUE} if no key has an expiry
	 */
	public long nextDeadline() {
		return this.keys.nextDeadline();
	}

	/**
	 * Returns the log time of the last applied entry.
	 * @return the log time in nanoseconds, 0 if there is none
	 */
	public long logTime() {
		return this.keys.logTime();
	}

	/**
	 * Returns the reading of the version clock. Later versions are greater.
	 * @return the latest version or merged clock reading
	 */
	public Version lastVersion() {
		return this.clock.last();
	}

	/**
	 * Returns the reading of the proposer's system clock in the last applied entry.
	 * @return milliseconds since 1970, 0 if there is none
	 */
	public long wallMillis() {
		return this.clock.wallMillis();
	}

	/**
	 * Returns the version of the last change. Unlike {@link #lastVersion()}, it does not
	 * advance with clock readings or with versions issued without a change.
	 * @return the version, {@link #BEFORE_ALL} if nothing has changed yet
	 */
	public Version lastChange() {
		return this.lastChange;
	}

	/**
	 * Returns the maximum time span of entries after the last {@link LogEntry.Start} that
	 * a power failure may have removed from the log.
	 * @return the time span in milliseconds, 0 if no entries can be lost
	 */
	public long maxLostMillis() {
		return this.maxLostMillis;
	}

	/**
	 * Returns the number of entries applied since this object was created or restored,
	 * including the current one. The listener may call this.
	 * @return the number of entries
	 */
	public long entryCount() {
		return this.entries;
	}

	/**
	 * Returns whether the current entry is an INCRBY, which does not contain the value
	 * that it stores. The listener may call this.
	 * @return whether only the listener learns the value
	 */
	public boolean isIncrement() {
		return this.increment;
	}

	/**
	 * Returns whether a {@link LogEntry.Start} has been applied.
	 * @return whether other entries may follow
	 */
	public boolean isStarted() {
		return this.started;
	}

	/**
	 * Returns the limits set by the last {@link LogEntry.Start}.
	 * @return the current limits
	 */
	public Quota quota() {
		return this.keys.quota();
	}

	/**
	 * Returns the number of keys.
	 * @return the number of keys, including expired keys that have not been removed
	 */
	public long keyCount() {
		return this.keys.table().size();
	}

	/**
	 * Returns the total size of keys, values, and the node ids in fencing tokens.
	 * @return the size in bytes
	 */
	public long byteCount() {
		return this.keys.byteCount();
	}

	/**
	 * Returns the number of keys that a principal has created.
	 * @param principal the name of the principal
	 * @return the number of keys, including expired keys that have not been removed
	 */
	public long keysOf(String principal) {
		return this.keys.owners().keysOf(principal);
	}

	/**
	 * Returns the number of principals that have created keys.
	 * @return the number of principals with at least one existing key
	 */
	int ownerCount() {
		return this.keys.owners().count();
	}

	/**
	 * Returns the memory limit for remembered answers, as of the last
	 * {@link LogEntry.Start}.
	 * @return the limit in bytes
	 */
	public long replyMemory() {
		return this.memory.maxBytes();
	}

	/**
	 * Returns the number of remembered answers.
	 * @return the number of answers
	 */
	public long replyCount() {
		return this.memory.count();
	}

	/**
	 * Returns the estimated memory of all remembered answers.
	 * @return the size in bytes
	 */
	public long replyBytes() {
		return this.memory.bytes();
	}

	/**
	 * Returns the number of answers removed because memory was short.
	 * @return the number of answers since this object was created
	 */
	public long evictedReplies() {
		return this.memory.evicted();
	}

	/**
	 * Returns whether a snapshot is open.
	 * @return {@code true} if another snapshot cannot begin yet
	 */
	public boolean hasSnapshot() {
		return this.keys.snapshot() != null;
	}

	/**
	 * Begins a snapshot as of the last applied entry.
	 * @return the snapshot, which the caller must close
	 * @throws IllegalStateException if an earlier snapshot is not closed, or if no entry
	 * has been applied
	 */
	public StateSnapshot beginSnapshot() {
		if (!this.started) {
			throw new IllegalStateException("A snapshot requires a start");
		}
		if (hasSnapshot()) {
			throw new IllegalStateException("Close the earlier snapshot first");
		}
		StateSnapshot snapshot = new StateSnapshot(this.keys, this.clock, this.lastChange, this.maxLostMillis,
				this.memory, this.sessions);
		this.keys.setSnapshot(snapshot);
		return snapshot;
	}

}

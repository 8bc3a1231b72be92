package io.statestore.broker.artemis.disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.statestore.broker.artemis.disk.SessionChange.Acknowledged;
import io.statestore.broker.artemis.disk.SessionChange.Clock;
import io.statestore.broker.artemis.disk.SessionChange.Confirmed;
import io.statestore.broker.artemis.disk.SessionChange.Ended;
import io.statestore.broker.artemis.disk.SessionChange.Kept;
import io.statestore.broker.artemis.disk.SessionChange.Owned;
import io.statestore.broker.artemis.disk.SessionChange.Received;
import io.statestore.broker.artemis.disk.SessionChange.Released;
import io.statestore.broker.artemis.disk.SessionChange.Sent;
import io.statestore.broker.artemis.disk.SessionChange.Subscribed;
import io.statestore.broker.artemis.disk.SessionChange.Unsubscribed;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * MQTT sessions that outlive their connections, in a file. Artemis itself keeps only
 * queues and their messages. Thread-safe.
 * <p>
 * Internal: not part of the API.
 */
public final class SessionFile implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(SessionFile.class);

	/** Size of the file in bytes up to which it is never rewritten. */
	private static final long MIN_REWRITE = 16 * 1024 * 1024;

	/** Growth since the last rewrite after which the file is rewritten. */
	private static final int REWRITE_FACTOR = 3;

	/** Number of changes in a record of a rewritten file. */
	private static final int CHANGES_PER_RECORD = 1_000;

	/**
	 * Time between two attempts to rewrite the file while the disk has too little space.
	 */
	private static final long RETRY_MILLIS = 10_000;

	private final Map<String, StoredSession> sessions = new HashMap<>();

	private final RecordFile file;

	/** The lock of the file, so that the sessions match its records. */
	private final ReentrantLock lock;

	private final DiskState.FreeSpace freeSpace;

	private final boolean forcesMessages;

	private final LongSupplier nanoTime;

	private final long startNanos;

	/** Value of {@link #clock()} when the file was opened. */
	private long startMillis;

	/** Size of the file after a rewrite in bytes, at the latest one or at the start. */
	private volatile long rewrittenSize;

	/** Value of {@link #clock()} before which the file is not rewritten. */
	private volatile long nextRewrite;

	private SessionFile(Path path, boolean forcesMessages, LongSupplier nanoTime, DiskState.FreeSpace freeSpace,
			Disk disk) throws IOException {
		this.forcesMessages = forcesMessages;
		this.nanoTime = nanoTime;
		this.startNanos = nanoTime.getAsLong();
		this.file = RecordFile.open(path, (record) -> SessionChangeCodec.decode(record).forEach(this::load), disk);
		this.lock = this.file.lock();
		this.freeSpace = freeSpace;
		this.rewrittenSize = RecordFileFormat.size(records());
	}

	/**
	 * Opens a file, or creates it.
	 * @param path the file
	 * @param forcesMessages whether packet identifiers of received messages wait for the
	 * disk. Sessions and subscriptions always do
	 * @param nanoTime returns monotonic time in nanoseconds
	 * @return the open file
	 * @throws IOException if the file cannot be read or written
	 * @throws IllegalStateException if the file is damaged or from a newer version
	 */
	public static SessionFile open(Path path, boolean forcesMessages, LongSupplier nanoTime) throws IOException {
		return open(path, forcesMessages, nanoTime, () -> Files.getFileStore(path).getUsableSpace(), Disk.REAL);
	}

	static SessionFile open(Path path, boolean forcesMessages, LongSupplier nanoTime, DiskState.FreeSpace freeSpace,
			Disk disk) throws IOException {
		return new SessionFile(path, forcesMessages, nanoTime, freeSpace, disk);
	}

	/**
	 * Returns whether packet identifiers of received messages wait for the disk.
	 * @return {@code false} if the loss of the latest ones is acceptable
	 */
	public boolean forcesMessages() {
		return this.forcesMessages;
	}

	/**
	 * Returns the total time during which a process had the file open. Time between two
	 * processes does not count.
	 * @return number of milliseconds. After a crash, up to ten seconds less than the
	 * actual time
	 */
	public long clock() {
		return this.startMillis + TimeUnit.NANOSECONDS.toMillis(this.nanoTime.getAsLong() - this.startNanos);
	}

	/**
	 * Passes all sessions to a consumer.
	 * @param consumer receives client ids in Artemis and sessions. Must not change them
	 */
	public void forEach(BiConsumer<String, StoredSession> consumer) {
		this.lock.lock();
		try {
			this.sessions.forEach(consumer);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Passes a session to a consumer, if it is stored.
	 * @param clientId id of the client in Artemis
	 * @param consumer receives the session. Must not change it
	 */
	public void read(String clientId, Consumer<StoredSession> consumer) {
		this.lock.lock();
		try {
			StoredSession session = this.sessions.get(clientId);
			if (session != null) {
				consumer.accept(session);
			}
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Writes changes that depend on the stored session, without waiting for the disk.
	 * @param clientId id of the client in Artemis
	 * @param changes returns the changes from the stored session, which is {@code null}
	 * if there is none
	 * @return the mark to pass to {@link #force}
	 * @throws IOException if the disk fails or is full. The changes are then not stored
	 */
	public long append(String clientId, Function<@Nullable StoredSession, List<SessionChange>> changes)
			throws IOException {
		this.lock.lock();
		try {
			return append(changes.apply(this.sessions.get(clientId)));
		}
		finally {
			this.lock.unlock();
		}
	}

	private long append(List<SessionChange> changes) throws IOException {
		if (changes.isEmpty()) {
			return 0;
		}
		long mark = this.file.append(SessionChangeCodec.encode(changes));
		changes.forEach(this::apply);
		return mark;
	}

	/**
	 * Waits until changes are on the disk.
	 * @param mark return value of {@link #append}
	 * @throws IOException if the disk fails
	 */
	public void force(long mark) throws IOException {
		this.file.force(mark);
	}

	/**
	 * Waits until all changes are on the disk. Damage to them is then detected if at
	 * least one change follows them.
	 * @throws IOException if the disk fails
	 */
	public void forceAll() throws IOException {
		this.file.forceAll();
	}

	/**
	 * Stores the value of {@link #clock()}.
	 * @throws IOException if the disk fails or is full
	 */
	public void storeClock() throws IOException {
		append("", (session) -> List.of(new Clock(clock())));
	}

	/**
	 * Rewrites the file if it contains mostly outdated changes, or if the disk failed.
	 * Has no effect if the disk has too little space for a copy. Changes can be written
	 * meanwhile, without waiting.
	 * @return whether it was rewritten
	 * @throws IOException if the disk fails or is full. Nothing is lost
	 */
	public boolean compact() throws IOException {
		if (!this.file.hasFailed() && (clock() < this.nextRewrite
				|| this.file.size() <= Math.max(MIN_REWRITE, REWRITE_FACTOR * this.rewrittenSize))) {
			return false;
		}
		if (!this.file.replace(this::records, this::hasSpace)) {
			this.nextRewrite = clock() + RETRY_MILLIS;
			return false;
		}
		this.rewrittenSize = this.file.size();
		return true;
	}

	/** Returns whether a copy leaves enough space to the journal. */
	private boolean hasSpace(long bytes) {
		try {
			long free = this.freeSpace.bytes();
			return bytes <= Math.max(free / 2, free - DiskState.MIN_FREE);
		}
		catch (IOException ex) {
			logger.debug("Failed to read the free space for a copy of the sessions", ex);
			return false;
		}
	}

	private List<byte[]> records() {
		List<byte[]> records = new ArrayList<>();
		List<SessionChange> changes = new ArrayList<>();
		changes.add(new Clock(clock()));
		this.sessions.forEach((clientId, session) -> {
			addChanges(clientId, session, changes);
			if (changes.size() >= CHANGES_PER_RECORD) {
				records.add(SessionChangeCodec.encode(changes));
				changes.clear();
			}
		});
		if (!changes.isEmpty()) {
			records.add(SessionChangeCodec.encode(changes));
		}
		return records;
	}

	private static void addChanges(String clientId, StoredSession session, List<SessionChange> changes) {
		changes.add(new Kept(clientId, session.expirySeconds(), session.detachedAt()));
		if (!session.owner().equals(StoredSession.ANONYMOUS)) {
			changes.add(new Owned(clientId, session.owner()));
		}
		session.subscriptions().values().forEach((subscription) -> changes.add(new Subscribed(clientId, subscription)));
		session.received().forEach((packetId) -> changes.add(new Received(clientId, packetId)));
		session.sent().forEach((packetId, message) -> changes.add(new Sent(clientId, packetId, message)));
		session.confirmed().forEach((packetId) -> changes.add(new Confirmed(clientId, packetId)));
	}

	/** Applies a change that the file contains. */
	private void load(SessionChange change) {
		if (change instanceof Clock clock) {
			this.startMillis = clock.millis();
		}
		else if (change instanceof Kept kept && kept.detachedAt() != StoredSession.ATTACHED) {
			this.startMillis = Math.max(this.startMillis, kept.detachedAt());
		}
		apply(change);
	}

	private void apply(SessionChange change) {
		if (change instanceof Ended ended) {
			this.sessions.remove(ended.clientId());
		}
		else if (change instanceof Kept kept) {
			this.sessions.computeIfAbsent(kept.clientId(), (id) -> new StoredSession())
				.set(kept.expirySeconds(), kept.detachedAt());
		}
		else {
			StoredSession session = this.sessions.get(change.clientId());
			if (session != null) {
				apply(change, session);
			}
		}
	}

	private static void apply(SessionChange change, StoredSession session) {
		if (change instanceof Owned owned) {
			session.setOwner(owned.owner());
		}
		else if (change instanceof Subscribed subscribed) {
			session.subscriptions().put(subscribed.subscription().filter(), subscribed.subscription());
		}
		else if (change instanceof Unsubscribed unsubscribed) {
			session.subscriptions().remove(unsubscribed.filter());
		}
		else if (change instanceof Received received) {
			session.received().add(received.packetId());
		}
		else if (change instanceof Released released) {
			session.received().remove(released.packetId());
		}
		else if (change instanceof Sent sent) {
			session.add(sent.packetId(), sent.message());
		}
		else if (change instanceof Confirmed confirmed) {
			session.confirm(confirmed.packetId());
		}
		else if (change instanceof Acknowledged acknowledged) {
			session.remove(acknowledged.packetId());
		}
	}

	@Override
	public void close() throws IOException {
		this.file.close();
	}

}

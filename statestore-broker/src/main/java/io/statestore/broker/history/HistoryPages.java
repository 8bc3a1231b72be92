package io.statestore.broker.history;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.statestore.broker.history.StoreHistory.Block;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads pages of a history on a separate thread, so that requests to the store do not
 * wait for files. Thread-safe.
 */
public final class HistoryPages implements AutoCloseable {

	/**
	 * Size at which a page is full: keys and values, in bytes. A single change may exceed
	 * it.
	 */
	private static final int PAGE_BYTES = 128 << 10;

	/**
	 * Estimated size of a change in an answer, in bytes, not including its key and value.
	 */
	private static final int OVERHEAD = 200;

	/**
	 * How long reading a page may take. Limits pages whose pattern matches few changes.
	 */
	private static final long PAGE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	/** Delay before looking up an entry again that is not in the log yet. */
	private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

	/** Maximum number of clients waiting for a page. */
	private static final int MAX_WAITING = 64;

	/**
	 * Maximum number of readers kept open for the next page. Other requests open a new
	 * reader.
	 */
	private static final int MAX_KEPT = 8;

	/** How long a reader stays open if its next page is not requested. */
	private static final long MAX_IDLE_SECONDS = 30;

	private static final int MAX_TOKEN_LENGTH = 100;

	/**
	 * Number of changes to read together when changes are returned in reverse order.
	 */
	private static final int BLOCK = 64;

	private static final Version NEWEST = new Version(999_999_999_999_999L, 0, "!");

	private static final Logger logger = LoggerFactory.getLogger(HistoryPages.class);

	private final StoreHistory history;

	private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1,
			new DefaultThreadFactory("statestore-history", true));

	/** Clients waiting for a page. */
	private final Set<Object> waiting = ConcurrentHashMap.newKeySet();

	/**
	 * Open readers, by the query for their next page. Used only by the reading thread.
	 */
	private final Map<HistoryQuery, HistoryReader> kept = new LinkedHashMap<>();

	/**
	 * Creates a page reader.
	 * @param history the history to read from
	 */
	public HistoryPages(StoreHistory history) {
		this.history = history;
		this.executor.setKeepAliveTime(10, TimeUnit.SECONDS);
		this.executor.allowCoreThreadTimeOut(true);
		this.executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
	}

	/**
	 * Reads a page.
	 * @param client the requesting client, which may only wait for one page at a time
	 * @param query the request
	 * @param readable selects the keys that the client may read
	 * @return the page. Fails with a {@link ProtocolException} if the request is invalid,
	 * the client is already waiting for a page, or too many clients are waiting. Fails
	 * with a {@link HistoryException} if the history cannot be read
	 */
	public CompletableFuture<AdministrationPage<StoredChange>> page(Object client, HistoryQuery query,
			Predicate<Bytes> readable) {
		if (this.waiting.size() >= MAX_WAITING || !this.waiting.add(client)) {
			return CompletableFuture.failedFuture(new ProtocolException(ErrorReason.QUOTA_EXCEEDED));
		}
		CompletableFuture<AdministrationPage<StoredChange>> page = new CompletableFuture<>();
		try {
			GlobPattern pattern = GlobPattern.of(query.pattern());
			Predicate<Bytes> included = (key) -> pattern.matches(key) && readable.test(key);
			this.executor.execute(() -> answer(page, client, query, included));
		}
		catch (ProtocolException ex) {
			this.waiting.remove(client);
			page.completeExceptionally(ex);
		}
		catch (RejectedExecutionException ex) {
			page.completeExceptionally(new HistoryException("the server is stopping"));
		}
		return page;
	}

	private void answer(CompletableFuture<AdministrationPage<StoredChange>> page, Object client, HistoryQuery query,
			Predicate<Bytes> included) {
		AdministrationPage<StoredChange> read = null;
		RuntimeException failure = null;
		try {
			read = read(query, included);
		}
		catch (ProtocolException | HistoryException ex) {
			failure = ex;
		}
		catch (IOException | RuntimeException ex) {
			logger.error("Cannot read the history, so a client's request failed. Check the disk", ex);
			failure = new HistoryException("the history cannot be read. See the server's log");
		}
		// Before the page is sent, because the client may immediately request the next
		// page.
		this.waiting.remove(client);
		if (failure != null) {
			page.completeExceptionally(failure);
		}
		else {
			page.complete(read);
		}
	}

	private AdministrationPage<StoredChange> read(HistoryQuery query, Predicate<Bytes> included) throws IOException {
		HistoryReader kept = this.kept.remove(query);
		try {
			return query.latest() ? readLatest(query.token(), included)
					: readAndKeep((kept != null) ? kept : open(query), query, included);
		}
		catch (NoSuchFileException ex) {
			// A file was removed in the meantime because it is too old. Read the page
			// again.
			return query.latest() ? readLatest(query.token(), included) : readAndKeep(open(query), query, included);
		}
	}

	/**
	 * Reads a page of the latest changes, in reverse order.
	 * @param token version of the last change on the previous page, {@code null} for the
	 * first page
	 */
	private AdministrationPage<StoredChange> readLatest(@Nullable String token, Predicate<Bytes> included)
			throws IOException {
		Version end = (token != null) ? Version.parse(token) : NEWEST;
		List<StoredChange> changes = new ArrayList<>();
		long deadline = System.nanoTime() + PAGE_NANOS;
		int bytes = 0;
		while (bytes < PAGE_BYTES && System.nanoTime() - deadline < 0) {
			List<StoredChange> block = blockBefore(end, deadline);
			for (int i = block.size() - 1; i >= 0 && bytes < PAGE_BYTES; i--) {
				StoredChange change = block.get(i);
				end = change.version();
				if (change.operation() == Operation.GAP || included.test(change.key())) {
					changes.add(change);
					bytes += size(change);
				}
			}
			if (block.isEmpty() || block.get(0).operation() == Operation.GAP) {
				return new AdministrationPage<>(changes, null);
			}
		}
		return new AdministrationPage<>(changes, end.toString());
	}

	/**
	 * Returns the last changes before a version, in order. Returns only a gap if some of
	 * them are missing.
	 * @param deadline how long to wait for changes that are not in the log yet
	 */
	private List<StoredChange> blockBefore(Version end, long deadline) throws IOException {
		List<StoredChange> changes = new ArrayList<>();
		Block block = this.history.before(end, BLOCK);
		if (block == null) {
			return changes;
		}
		try (HistoryReader reader = new HistoryReader(this.history, block.base(), block.after())) {
			while (changes.size() < block.count()) {
				StoredChange change = reader.next();
				if (change != null && change.operation() == Operation.GAP) {
					return List.of(change);
				}
				if (change != null) {
					changes.add(change);
				}
				else if (System.nanoTime() - deadline < 0) {
					LockSupport.parkNanos(WAIT_NANOS);
				}
				else {
					throw new HistoryException("the latest changes are not on the disk of this server yet. Try again");
				}
			}
		}
		return changes;
	}

	/** Reads a page and keeps the reader if there is a next page. */
	private AdministrationPage<StoredChange> readAndKeep(HistoryReader reader, HistoryQuery query,
			Predicate<Bytes> included) throws IOException {
		AdministrationPage<StoredChange> page = null;
		try {
			page = readPage(reader, query.content(), included);
		}
		finally {
			if (page == null || page.token() == null) {
				reader.close();
			}
		}
		if (page.token() != null) {
			keep(query.next(page.token()), reader);
		}
		return page;
	}

	/** Opens the history where a page begins, see {@link HistoryReader#position}. */
	private HistoryReader open(HistoryQuery query) throws IOException {
		String token = query.token();
		if (token == null) {
			return begin(query);
		}
		if (token.length() > MAX_TOKEN_LENGTH) {
			throw new ProtocolException(ErrorReason.SYNTAX_ERROR);
		}
		String[] parts = token.split("/", -1);
		if (parts.length != 3) {
			return this.history.after(Version.parse(token));
		}
		boolean ours = parts[0].equals(this.history.id());
		if (!ours && query.content() != null) {
			throw new HistoryException(
					"another node has become the leader since the first page. Repeat the request for the store as it "
							+ "was at that version");
		}
		try {
			long base = Long.parseUnsignedLong(parts[1]);
			// Another node's bases are unknown here, so the page begins with a gap.
			return this.history.content(ours ? base : -1, Long.parseUnsignedLong(parts[2]));
		}
		catch (NumberFormatException ex) {
			throw new ProtocolException(ErrorReason.SYNTAX_ERROR);
		}
	}

	private HistoryReader begin(HistoryQuery query) throws IOException {
		if (query.content() != null) {
			HistoryReader reader = this.history.contentAt(query.content());
			if (reader == null) {
				throw noLongerContained(query.content());
			}
			return reader;
		}
		return (query.after() != null) ? this.history.after(query.after()) : this.history.all();
	}

	private static HistoryException noLongerContained(Version version) {
		return new HistoryException("the history does not contain the store as it was at version " + version
				+ ". Changes before it were removed, or made while no history was kept");
	}

	/**
	 * Reads a page.
	 * @param end version of the last change to return, {@code null} for all changes
	 */
	private static AdministrationPage<StoredChange> readPage(HistoryReader reader, @Nullable Version end,
			Predicate<Bytes> included) throws IOException {
		List<StoredChange> changes = new ArrayList<>();
		long start = System.nanoTime();
		int bytes = 0;
		while (bytes < PAGE_BYTES && System.nanoTime() - start < PAGE_NANOS) {
			Version last = reader.last();
			StoredChange change = reader.next();
			if (change != null && end != null && change.operation() == Operation.GAP && !last.equals(end)) {
				throw noLongerContained(end);
			}
			if (change == null && reader.isWaiting()) {
				// This is a leader with a slow disk: the next page may have the change.
				LockSupport.parkNanos(WAIT_NANOS);
				continue;
			}
			if (change == null || end != null && change.version().compareTo(end) > 0) {
				return new AdministrationPage<>(changes, null);
			}
			if (!reader.isSkipped() && (change.operation() == Operation.GAP || included.test(change.key()))) {
				changes.add(change);
				bytes += size(change);
			}
		}
		return new AdministrationPage<>(changes, reader.position());
	}

	private static int size(StoredChange change) {
		return OVERHEAD + change.key().length() + change.value().length();
	}

	private void keep(HistoryQuery query, HistoryReader reader) {
		close(this.kept.put(query, reader));
		if (this.kept.size() > MAX_KEPT) {
			close(this.kept.remove(this.kept.keySet().iterator().next()));
		}
		this.executor.schedule(() -> {
			if (this.kept.remove(query, reader)) {
				close(reader);
			}
		}, MAX_IDLE_SECONDS, TimeUnit.SECONDS);
	}

	/** Closes all files. Queued page requests fail. */
	@Override
	public void close() {
		this.executor.shutdownNow();
		try {
			this.executor.awaitTermination(1, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.kept.values().forEach(HistoryPages::close);
		this.kept.clear();
	}

	private static void close(@Nullable HistoryReader reader) {
		try {
			if (reader != null) {
				reader.close();
			}
		}
		catch (IOException ex) {
			// The file was only read.
		}
	}

}

package io.statestore.broker.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.statestore.protocol.Bytes;
import io.statestore.protocol.ErrorReason;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.HistoryPage;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.ProtocolException;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredChange.Operation;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * Reads the pages of a history on a thread of its own, so that requests to the store do
 * not wait for files. Thread-safe.
 */
public final class HistoryPages implements AutoCloseable {

	/** Size of the keys and values of a page, which a single change may exceed. */
	private static final int PAGE_BYTES = 128 << 10;

	/** Estimated size of the names and numbers of a change in an answer, in bytes. */
	private static final int OVERHEAD = 200;

	/** Time after which a page ends, because few changes match its pattern. */
	private static final long PAGE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

	private static final int MAX_WAITING = 64;

	/** Readers that are kept for the next page. Others begin where they were again. */
	private static final int MAX_KEPT = 8;

	private final StoreHistory history;

	private final ThreadPoolExecutor executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS,
			new ArrayBlockingQueue<>(MAX_WAITING), HistoryPages::thread);

	/** Readers by the query for their next page. Used by the thread. */
	private final Map<HistoryQuery, HistoryReader> kept = new LinkedHashMap<>();

	/**
	 * Creates a reader of pages.
	 * @param history the history
	 */
	public HistoryPages(StoreHistory history) {
		this.history = history;
		this.executor.allowCoreThreadTimeOut(true);
	}

	private static Thread thread(Runnable task) {
		Thread thread = new Thread(task, "statestore-history");
		thread.setDaemon(true);
		return thread;
	}

	/**
	 * Reads a page.
	 * @param query the request
	 * @param readable selects the keys that the client may read
	 * @return the page. Fails with a {@link ProtocolException} if the request is invalid
	 * or too many others wait, and with other exceptions if the history cannot be read
	 */
	public CompletableFuture<HistoryPage> page(HistoryQuery query, Predicate<Bytes> readable) {
		try {
			GlobPattern pattern = GlobPattern.of(query.pattern());
			return CompletableFuture.supplyAsync(() -> read(query, (key) -> pattern.matches(key) && readable.test(key)),
					this.executor);
		}
		catch (ProtocolException ex) {
			return CompletableFuture.failedFuture(ex);
		}
		catch (RejectedExecutionException ex) {
			return CompletableFuture.failedFuture(new ProtocolException(ErrorReason.QUOTA_EXCEEDED));
		}
	}

	private HistoryPage read(HistoryQuery query, Predicate<Bytes> included) {
		try {
			HistoryReader reader = reader(query);
			try {
				HistoryPage page = read(reader, query.content(), included);
				if (page.token() != null) {
					keep(query.next(page.token()), reader);
					reader = null;
				}
				return page;
			}
			finally {
				if (reader != null) {
					reader.close();
				}
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException("The history cannot be read: " + ex, ex);
		}
	}

	private HistoryReader reader(HistoryQuery query) throws IOException {
		String token = query.token();
		if (token == null) {
			return begin(query);
		}
		HistoryReader kept = this.kept.remove(query);
		if (kept != null) {
			return kept;
		}
		int separator = token.indexOf(':');
		if (separator != token.lastIndexOf(':')) {
			return this.history.after(Version.parse(token));
		}
		try {
			return this.history.content(Long.parseLong(token.substring(0, separator)),
					Long.parseLong(token.substring(separator + 1)));
		}
		catch (NumberFormatException | IndexOutOfBoundsException ex) {
			throw new ProtocolException(ErrorReason.SYNTAX_ERROR);
		}
	}

	private HistoryReader begin(HistoryQuery query) throws IOException {
		if (query.content() != null) {
			HistoryReader reader = this.history.contentAt(query.content());
			if (reader == null) {
				throw new IllegalArgumentException("the history no longer contains the store as it was at version "
						+ query.content() + ". It begins later, because older changes were removed");
			}
			return reader;
		}
		return (query.after() != null) ? this.history.after(query.after()) : this.history.all();
	}

	private static HistoryPage read(HistoryReader reader, @Nullable Version end, Predicate<Bytes> included)
			throws IOException {
		List<StoredChange> changes = new ArrayList<>();
		long start = System.nanoTime();
		int bytes = 0;
		while (bytes < PAGE_BYTES && System.nanoTime() - start < PAGE_NANOS) {
			Version last = reader.last();
			StoredChange change = reader.next();
			if (change == null) {
				return new HistoryPage(changes, null);
			}
			if (end != null && change.version().compareTo(end) > 0) {
				if (change.operation() == Operation.GAP && last.compareTo(end) < 0) {
					throw new IllegalArgumentException("the history does not contain the store as it was at version "
							+ end + ", because changes are missing between " + last + " and " + change.version()
							+ ". Request one of these versions");
				}
				return new HistoryPage(changes, null);
			}
			if (change.operation() == Operation.GAP || included.test(change.key())) {
				changes.add(change);
				bytes += OVERHEAD + change.key().length() + change.value().length();
			}
		}
		return new HistoryPage(changes, reader.position());
	}

	private void keep(HistoryQuery query, HistoryReader reader) throws IOException {
		HistoryReader replaced = this.kept.put(query, reader);
		if (replaced != null) {
			replaced.close();
		}
		if (this.kept.size() > MAX_KEPT) {
			HistoryQuery eldest = this.kept.keySet().iterator().next();
			this.kept.remove(eldest).close();
		}
	}

	/** Closes all files. Pages that are being read may fail. */
	@Override
	public void close() {
		if (!this.executor.isShutdown()) {
			this.executor.execute(() -> this.kept.values().forEach(HistoryPages::closeQuietly));
			this.executor.shutdown();
		}
	}

	private static void closeQuietly(HistoryReader reader) {
		try {
			reader.close();
		}
		catch (IOException ex) {
			// It was only read.
		}
	}

}

package io.statestore.client.history;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.HistoryQuery;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.Version;
import org.jspecify.annotations.Nullable;

/**
 * History of a store: its changes after any version, and its content at any version.
 * Requires a server of this project that is configured to keep a history. The server
 * returns only keys that the client may read.
 * <p>
 * Thread-safe. Threads that read at the same time take turns, page by page. Methods block
 * while they wait for their turn and for the server's answer. Do not call them in an
 * asynchronous call's continuation: they would block a thread that completes other calls.
 * They throw:
 * <ul>
 * <li>{@link StateStoreRefusedException} if the server does not keep a history, or not as
 * far back as requested. The message comes from the server
 * <li>another {@link StateStoreException} if the server does not answer in time, for
 * example because the connection was lost after the request, if the pattern is invalid,
 * if the answer is malformed, or if the thread is interrupted (its interrupt flag stays
 * set). Requests are never repeated automatically; call the method again
 * </ul>
 */
public final class StateHistory {

	private final AdministrationClient administration;

	private final Duration timeout;

	/**
	 * Held during a request, because a server refuses simultaneous requests from the same
	 * client.
	 */
	private final ReentrantLock turn = new ReentrantLock(true);

	/**
	 * Future of the latest answer. It may still be pending if the requesting thread was
	 * interrupted.
	 */
	private CompletableFuture<?> latest = CompletableFuture.completedFuture(null);

	/**
	 * Creates a history.
	 * @param connection connection to the server; can be shared with other uses
	 * @param timeout maximum time to wait for each answer, including a wait for a
	 * connection
	 */
	public StateHistory(StateStoreConnection connection, Duration timeout) {
		this.administration = new AdministrationClient(connection);
		this.timeout = timeout;
	}

	/**
	 * Returns all changes that the server keeps. If the server has removed older changes,
	 * the stream begins with {@link StoredChange.Operation#PRESENT} for each key.
	 * @param pattern key pattern, as for a scan
	 * @return the changes as in {@link #changes(String, Version)}
	 */
	public Stream<StoredChange> changes(String pattern) {
		return changes(pattern, null);
	}

	/**
	 * Returns the changes after a version, in version order, up to the latest change.
	 * Missing changes are replaced by {@link StoredChange.Operation#GAP}, followed by
	 * {@link StoredChange.Operation#PRESENT} for each key.
	 * <p>
	 * The stream holds one page of changes in memory, and requests the next page only
	 * when it is needed. Therefore, exceptions are thrown while the stream is consumed.
	 * To continue after a failure, or to read new changes later, request the changes
	 * after the greatest version so far.
	 * @param pattern key pattern, as for a scan
	 * @param after the version of a change, or {@code null} for all changes. If a power
	 * failure or a restore removed this change, the stream contains a gap. A version
	 * whose node id does not belong to the store is a point in time
	 * @return a sequential stream, which need not be closed
	 */
	public Stream<StoredChange> changes(String pattern, @Nullable Version after) {
		return read(new HistoryQuery(Bytes.of(pattern), after, null, null));
	}

	/**
	 * Returns the changes in reverse order, beginning with the latest. If older changes
	 * are missing, the stream ends with {@link StoredChange.Operation#GAP}. Does not
	 * contain the values with which the history begins.
	 * @param pattern key pattern, as for a scan
	 * @return a stream as that of {@link #changes(String, Version)}
	 */
	public Stream<StoredChange> latest(String pattern) {
		return read(new HistoryQuery(Bytes.of(pattern), null, null, true, null));
	}

	/**
	 * Returns the store's content at a version, that is, after the last change with this
	 * or a lower version. The matching entries must fit in memory.
	 * @param pattern key pattern, as for a scan
	 * @param version the version to reconstruct; a change with this version need not
	 * exist
	 * @return a new map of entries by key
	 */
	public Map<Key, Entry<Bytes>> content(String pattern, Version version) {
		Map<Key, Entry<Bytes>> content = new HashMap<>();
		read(new HistoryQuery(Bytes.of(pattern), null, version, null)).forEach((change) -> apply(change, content));
		return content;
	}

	private static void apply(StoredChange change, Map<Key, Entry<Bytes>> content) {
		switch (change.operation()) {
			case SET, PRESENT -> {
				Key key = new Key(change.key());
				content.put(key, new Entry<>(key, change.value(), change.version()));
			}
			case DELETE, EXPIRE -> content.remove(new Key(change.key()));
			case GAP -> content.clear();
		}
	}

	private Stream<StoredChange> read(HistoryQuery query) {
		return StreamSupport.stream(new Pages(query), false).flatMap((page) -> page.items().stream());
	}

	private AdministrationPage<StoredChange> page(HistoryQuery query) {
		try {
			this.turn.lockInterruptibly();
			try {
				this.latest.handle((page, failure) -> true).get();
				CompletableFuture<AdministrationPage<StoredChange>> answer = this.administration.history(query,
						this.timeout);
				this.latest = answer;
				return answer.get();
			}
			finally {
				this.turn.unlock();
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StateStoreException("Interrupted while reading the history", ex);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof StateStoreException failure) {
				throw failure;
			}
			throw new StateStoreException("The history cannot be read: " + ex.getCause(), ex);
		}
	}

	private final class Pages extends Spliterators.AbstractSpliterator<AdministrationPage<StoredChange>> {

		private @Nullable HistoryQuery next;

		Pages(HistoryQuery first) {
			super(Long.MAX_VALUE, Spliterator.ORDERED | Spliterator.NONNULL);
			this.next = first;
		}

		@Override
		public boolean tryAdvance(Consumer<? super AdministrationPage<StoredChange>> action) {
			HistoryQuery query = this.next;
			if (query == null) {
				return false;
			}
			AdministrationPage<StoredChange> page = page(query);
			this.next = (page.token() != null) ? query.next(page.token()) : null;
			action.accept(page);
			return true;
		}

	}

}

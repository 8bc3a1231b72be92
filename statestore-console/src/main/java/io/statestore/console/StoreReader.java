package io.statestore.console;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.history.StateHistory;
import io.statestore.client.mqtt.ConnectionStatus;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.client.mqtt.internal.AdministrationClient.AdministrationUnavailableException;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import io.statestore.protocol.ClientQuery;
import io.statestore.protocol.ClusterNodeState;
import io.statestore.protocol.GlobPattern;
import io.statestore.protocol.LockNames;
import io.statestore.protocol.LockQuery;
import io.statestore.protocol.StoredChange;
import io.statestore.protocol.StoredLock;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.ResponseStatusException;

/**
 * Reads what the console shows, on demand. Keys are the keys in the store, including the
 * application's prefix. Blocks while waiting for the store. Thread-safe.
 */
final class StoreReader {

	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	private static final int MAX_CHANGES = 200;

	private static final int MAX_ITEMS = 1_000;

	private final StateStoreOperations store;

	private final StateStoreConnection connection;

	private final Supplier<StateHistory> history;

	/** Held while a history is read, which may take a long time. */
	private final Semaphore historyReader = new Semaphore(1);

	/** Created on first use, because it subscribes to a separate topic. */
	private final Supplier<AdministrationClient> administration;

	StoreReader(StateStoreConnection connection, Supplier<StateHistory> history) {
		this.store = new StateStoreTemplate(connection).withTimeout(TIMEOUT);
		this.connection = connection;
		this.history = history;
		this.administration = SingletonSupplier.of(() -> new AdministrationClient(connection));
	}

	/**
	 * Throws an exception with the reason if there is no connection, instead of waiting
	 * for a connection.
	 */
	void requireConnection() {
		ConnectionStatus status = this.connection.status();
		if (!status.connected()) {
			throw new StateStoreException(String.valueOf(status.problem()));
		}
	}

	KeyList keys(ReadableKeys readable, String search, KeySearch.@Nullable Position from) {
		KeySearch.Page page = new KeySearch(readable, search,
				(pattern, token) -> await(
						(token != null) ? this.store.async().scan(pattern, token) : this.store.async().scan(pattern)))
			.next(from);
		Map<Key, Entry<Bytes>> entries = this.store.getAll(page.keys(), Bytes.class);
		return new KeyList(entries.values().stream().sorted((a, b) -> a.key().compareTo(b.key())).map(Row::of).toList(),
				(page.next() != null) ? page.next().toString() : null);
	}

	Optional<ShownEntry> entry(Key key) {
		return this.store.get(key, Bytes.class)
			.map((entry) -> new ShownEntry(name(key.bytes()), ShownValue.of(entry.value()), entry.version().toString(),
					entry.version().wallMillis(), timeToLive(key)));
	}

	/**
	 * Returns the key's time to live in milliseconds; -1 if it never expires,
	 * {@code null} if the server does not support this request.
	 */
	private @Nullable Long timeToLive(Key key) {
		try {
			return this.store.timeToLive(key).map(Duration::toMillis).orElse(-1L);
		}
		catch (StateStoreRefusedException ex) {
			return null;
		}
	}

	/**
	 * Returns the latest changes of a key, as far as they can be read within the timeout.
	 */
	ShownHistory history(Key key) {
		if (!this.historyReader.tryAcquire()) {
			throw new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS,
					"Another history is being read. Try again.");
		}
		List<ShownChange> changes = new CopyOnWriteArrayList<>();
		ExecutorService thread = Executors
			.newSingleThreadExecutor(new CustomizableThreadFactory("statestore-console-"));
		try {
			boolean complete = await(CompletableFuture.supplyAsync(() -> latest(key).allMatch(changes::add), thread)
				.completeOnTimeout(false, TIMEOUT.toMillis(), TimeUnit.MILLISECONDS));
			return new ShownHistory(List.copyOf(changes), complete);
		}
		finally {
			// Interrupts a read still in progress.
			thread.shutdownNow();
			this.historyReader.release();
		}
	}

	private Stream<ShownChange> latest(Key key) {
		return this.history.get()
			.latest(GlobPattern.escape(key.bytes().toUtf8()))
			// Patterns are strings, so the pattern of a key that is not UTF-8 also
			// matches other keys.
			.filter((change) -> change.key().equals(key.bytes()))
			.limit(MAX_CHANGES)
			.map(ShownChange::of);
	}

	/** Returns the readable held locks in alphabetical order. */
	Collection<ShownLock> locks(ReadableKeys readable) {
		Map<Bytes, ShownLock> locks = new TreeMap<>();
		for (String pattern : readable.patterns()) {
			Bytes bytes = Bytes.of(pattern);
			items((token) -> this.administration.get().locks(new LockQuery(bytes, false, token), TIMEOUT))
				.filter((lock) -> readable.contains(lock.key()))
				.forEach((lock) -> locks.put(lock.key(), ShownLock.of(lock)));
		}
		return locks.values();
	}

	Collection<ShownClient> clients() {
		return items((token) -> this.administration.get().clients(new ClientQuery(token), TIMEOUT))
			.map((client) -> new ShownClient(client.client(), client.principal(), client.address(),
					client.connected().toMillis()))
			.toList();
	}

	/**
	 * Returns the items of all pages, up to about the number that the console can show.
	 */
	private static <T> Stream<T> items(Function<@Nullable String, CompletableFuture<AdministrationPage<T>>> pageAfter) {
		List<T> items = new ArrayList<>();
		String token = null;
		do {
			AdministrationPage<T> page = await(pageAfter.apply(token));
			items.addAll(page.items());
			token = page.token();
		}
		while (token != null && items.size() < MAX_ITEMS);
		return items.stream();
	}

	Servers servers() {
		String broker = this.connection.getUrl();
		try {
			List<ClusterNodeState> nodes = await(this.administration.get().nodes(TIMEOUT));
			return new Servers(broker, nodes.stream().map(Node::of).toList(), null);
		}
		catch (StateStoreRefusedException | AdministrationUnavailableException ex) {
			return new Servers(broker, List.of(), ex.getMessage());
		}
	}

	private static <T> T await(CompletableFuture<T> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			throw (ex.getCause() instanceof StateStoreException failure) ? failure : ex;
		}
	}

	private static String name(Bytes key) {
		return LockNames.isSuccessor(key) ? new Key(LockNames.lock(key)) + " (successor lock)"
				: new Key(key).toString();
	}

	private static String words(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

	/**
	 * A page of keys.
	 *
	 * @param keys the keys in alphabetical order
	 * @param next position of the next page; {@code null} if this is the last page
	 */
	record KeyList(List<Row> keys, @Nullable String next) {
	}

	/**
	 * A key in a list.
	 *
	 * @param id the key in hexadecimal
	 * @param name the key as text
	 * @param value beginning of the value
	 * @param time time of the latest change, in milliseconds since the epoch
	 */
	record Row(String id, String name, String value, long time) {

		static Row of(Entry<Bytes> entry) {
			Bytes key = entry.key().bytes();
			return new Row(key.toHex(), StoreReader.name(key), ShownValue.preview(entry.value()),
					entry.version().wallMillis());
		}

	}

	/**
	 * A key and its value.
	 *
	 * @param name the key as text
	 * @param value the value as text
	 * @param version version of the value
	 * @param time time of the latest change, in milliseconds since the epoch
	 * @param timeToLive milliseconds until the key expires; -1 if it never expires,
	 * {@code null} if unknown
	 */
	record ShownEntry(String name, ShownValue value, String version, long time, @Nullable Long timeToLive) {
	}

	/**
	 * Changes of a key.
	 *
	 * @param changes the changes, latest first
	 * @param complete whether all older changes were read before the timeout
	 */
	record ShownHistory(List<ShownChange> changes, boolean complete) {
	}

	/**
	 * A change of a key.
	 *
	 * @param operation what happened, in words
	 * @param author user or client that made the change; {@code null} if the server did
	 * @param value beginning of the new value
	 * @param version version of the change
	 * @param time time of the change, in milliseconds since the epoch
	 */
	record ShownChange(String operation, @Nullable String author, String value, String version, long time) {

		static ShownChange of(StoredChange change) {
			return new ShownChange(words(change.operation()), change.author(), ShownValue.preview(change.value()),
					change.version().toString(), change.version().wallMillis());
		}

	}

	/**
	 * A held lock.
	 *
	 * @param name the lock's key as text
	 * @param holder name of the holder
	 * @param leader whether the holder leads a role
	 * @param client the holder's client ID; {@code null} if unknown
	 * @param token fencing token; {@code null} if unknown
	 * @param remaining remaining lease in milliseconds; {@code null} if unknown
	 * @param waiters number of clients that wait for the lock or only watch it; negative
	 * if unknown
	 */
	record ShownLock(String name, String holder, boolean leader, @Nullable String client, @Nullable String token,
			@Nullable Long remaining, int waiters) {

		static ShownLock of(StoredLock lock) {
			return new ShownLock(StoreReader.name(lock.key()), ShownValue.preview(LockNames.holderName(lock.holder())),
					LockNames.isLeader(lock.holder()), lock.client(),
					(lock.token() != null) ? lock.token().toString() : null,
					(lock.remaining() != null) ? lock.remaining().toMillis() : null, lock.waiterCount());
		}

	}

	/**
	 * A connected client.
	 *
	 * @param client client ID
	 * @param principal user that logged in; {@code null} for an anonymous client
	 * @param address the client's address; {@code null} if unknown
	 * @param connected milliseconds since the client connected
	 */
	record ShownClient(String client, @Nullable String principal, @Nullable String address, long connected) {
	}

	/**
	 * Servers that provide a store.
	 *
	 * @param broker address that this application is connected to
	 * @param nodes nodes of the cluster; empty if unknown
	 * @param problem why the nodes are unknown; {@code null} if they are known
	 */
	record Servers(String broker, List<Node> nodes, @Nullable String problem) {
	}

	/**
	 * A node of a cluster.
	 *
	 * @param name name or address of the node
	 * @param role role of the node, in words
	 * @param term latest term that the node knows
	 * @param failure why the node does not run or answer; {@code null} if it does
	 */
	record Node(String name, String role, long term, @Nullable String failure) {

		static Node of(ClusterNodeState node) {
			return new Node((node.name() != null) ? node.name() : node.address(), words(node.role()), node.term(),
					node.failure());
		}

	}

}

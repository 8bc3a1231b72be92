package io.statestore.cli;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.statestore.client.ClientResources;
import io.statestore.client.Entry;
import io.statestore.client.Key;
import io.statestore.client.StateStoreException;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.lock.StateStoreLockRegistry;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.mqtt.internal.AdministrationClient;
import io.statestore.client.watch.KeyWatches;
import io.statestore.protocol.AdministrationPage;
import io.statestore.protocol.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * A command's connection to its server. The first call connects. Without a connection,
 * calls fail as soon as the first connection attempt fails. With several hosts, they fail
 * only after the timeout, so that a cluster has time to elect a leader.
 */
final class Session implements AutoCloseable {

	/** Maximum number of keys whose values are in memory at the same time. */
	private static final int BATCH = 100;

	/**
	 * Thread that loads the classes of a connection; {@code null} if none was started.
	 */
	private static @Nullable Thread loading;

	private final ClientResources resources = new ClientResources();

	private final StateStoreConnection connection;

	private @Nullable StateStoreLockRegistry locks;

	private @Nullable AdministrationClient administration;

	Session(ConnectionOptions options) {
		this.connection = new StateStoreConnection(options, this.resources);
	}

	/**
	 * Starts loading the classes of a connection while this thread parses the arguments.
	 * Does nothing if the arguments may enable logging, because the log level is set
	 * later.
	 */
	static void loadClasses(String... arguments) {
		for (String argument : arguments) {
			if (argument.matches("--verbose|-\\w*v.*")) {
				return;
			}
		}
		System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "off");
		loading = new Thread(() -> {
			new Session(ConnectionOptions.builder().build()).close();
			new NioSocketChannel().pipeline()
				.addLast(new MqttDecoder(), MqttEncoder.INSTANCE)
				.channel()
				.unsafe()
				.closeForcibly();
		}, "class-loading");
		loading.setDaemon(true);
		// Ignored, because the connection will report the failure.
		loading.setUncaughtExceptionHandler((thread, failure) -> {
		});
		loading.start();
	}

	/**
	 * Waits until the classes are loaded. If two threads initialized them, they could
	 * deadlock.
	 */
	static void awaitClasses() throws InterruptedException {
		if (loading != null) {
			loading.join();
		}
	}

	/** Returns a template for reads and writes, which cannot watch keys. */
	StateStoreTemplate template() {
		return new StateStoreTemplate(this.connection);
	}

	/** Returns a new template that can watch keys. Call this at most once. */
	StateStoreTemplate watchingTemplate() {
		return new StateStoreTemplate(this.connection, null, new KeyWatches(this.connection));
	}

	/**
	 * Returns a lock registry, which this session stops. Call this at most once.
	 * @param options default options of the locks
	 */
	StateStoreLockRegistry locks(LockOptions options) {
		this.locks = new StateStoreLockRegistry(watchingTemplate(), options, this.resources);
		return this.locks;
	}

	/**
	 * Connects and returns a client for administration requests.
	 * @throws StateStoreException if there is no connection
	 */
	AdministrationClient administration() {
		if (this.administration == null) {
			connect();
			this.administration = new AdministrationClient(this.connection);
		}
		return this.administration;
	}

	/**
	 * Connects.
	 * @throws StateStoreException if there is no connection
	 */
	void connect() {
		try {
			template().get(Key.of("statestore-cli"), Bytes.class);
		}
		catch (StateStoreRefusedException ex) {
			// Ignored, because a user may administer a server without permission to read
			// keys.
		}
	}

	/**
	 * Waits for the answer to an administration request.
	 * @throws StateStoreException if the request failed
	 */
	static <T extends @Nullable Object> T await(CompletableFuture<T> answer) {
		try {
			return answer.join();
		}
		catch (CompletionException ex) {
			if (ex.getCause() instanceof StateStoreException failure) {
				throw failure;
			}
			throw ex;
		}
	}

	/**
	 * Reads all pages of an answer to an administration request.
	 * @param pages requests the page for a token; {@code null} for the first page
	 * @param consumer called for each item, on the calling thread
	 * @throws StateStoreException if a page cannot be read; earlier items were passed
	 */
	static <T> void forEachItem(Function<@Nullable String, CompletableFuture<AdministrationPage<T>>> pages,
			Consumer<T> consumer) {
		String token = null;
		do {
			AdministrationPage<T> page = await(pages.apply(token));
			page.items().forEach(consumer);
			token = page.token();
		}
		while (token != null);
	}

	/**
	 * Reads the values of keys in batches. Keys deleted in the meantime are omitted.
	 * @param operations operations to read with
	 * @param keys keys to read
	 * @param consumer called for each entry, on the calling thread
	 * @throws StateStoreException if a batch cannot be read; earlier entries were passed
	 */
	static void forEachEntry(StateStoreOperations operations, Iterator<Key> keys, Consumer<Entry<Bytes>> consumer) {
		forEachBatch(keys, (batch) -> operations.getAll(batch, Bytes.class).values().forEach(consumer));
	}

	/** Passes keys in batches of at most {@value #BATCH}. */
	static void forEachBatch(Iterator<Key> keys, Consumer<List<Key>> consumer) {
		while (keys.hasNext()) {
			List<Key> batch = new ArrayList<>();
			while (batch.size() < BATCH && keys.hasNext()) {
				batch.add(keys.next());
			}
			consumer.accept(batch);
		}
	}

	StateStoreConnection connection() {
		return this.connection;
	}

	/**
	 * Stops the locks and disconnects. Stopping releases any lock that an interrupted
	 * wait has acquired since.
	 */
	@Override
	public void close() {
		if (this.locks != null) {
			this.locks.stop();
		}
		this.connection.close();
		this.resources.close();
	}

}

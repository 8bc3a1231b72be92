package io.statestore.client.watch;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

import io.statestore.client.ClientResources;
import io.statestore.client.CommandInvoker;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.json.JacksonValueConverter;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.client.observability.StateStoreObservability;
import io.statestore.protocol.Command;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A complete client: connection, watches, and template. */
public final class TestClient implements AutoCloseable {

	/** Commands sent by the watches. */
	public final List<Command> commands;

	public final StateStoreConnection connection;

	public final KeyWatches watches;

	public final StateStoreTemplate template;

	public TestClient(int port) {
		this(port, WatchOptions.DEFAULT);
	}

	/** Creates a client of a store with several hosts. */
	public TestClient(List<String> hosts) {
		this(ConnectionOptions.builder().hosts(hosts), WatchOptions.DEFAULT, null);
	}

	public TestClient(int port, WatchOptions options) {
		this(port, options, null);
	}

	/**
	 * Creates a client that is not connected yet.
	 * @param executor runs the listeners, {@code null} for the default
	 */
	TestClient(int port, WatchOptions options, @Nullable Executor executor) {
		this(ConnectionOptions.builder().host("localhost").port(port), options, executor);
	}

	private TestClient(ConnectionOptions.Builder connectionOptions, WatchOptions options, @Nullable Executor executor) {
		this.connection = new StateStoreConnection(connectionOptions.startTimeout(Duration.ofSeconds(20))
			.requestTimeout(Duration.ofSeconds(5))
			.reconnectDelay(Duration.ofMillis(20), Duration.ofMillis(100))
			.build());
		this.commands = new CopyOnWriteArrayList<>();
		CommandInvoker recorded = (command, callOptions) -> {
			this.commands.add(command);
			return this.connection.invoke(command, callOptions);
		};
		this.watches = new KeyWatches(new MqttNotificationSource(this.connection), recorded, options, executor,
				StateStoreObservability.NONE, new ClientResources());
		this.template = new StateStoreTemplate(this.connection, new JacksonValueConverter(JsonMapper.builder().build()),
				this.watches);
	}

	private TestClient(TestClient client, String keyPrefix) {
		this.commands = client.commands;
		this.connection = client.connection;
		this.watches = client.watches;
		this.template = client.template.withKeyPrefix(keyPrefix);
	}

	/** Returns the same client, whose template prefixes its keys. */
	public TestClient withKeyPrefix(String keyPrefix) {
		return new TestClient(this, keyPrefix);
	}

	public TestClient start() {
		this.connection.start();
		return this;
	}

	/** Starts clients at the same time, because most of a start is waiting. */
	public static void start(TestClient... clients) {
		Stream.of(clients)
			.map((client) -> CompletableFuture.runAsync(client::start, (task) -> new Thread(task).start()))
			.toList()
			.forEach(CompletableFuture::join);
	}

	@Override
	public void close() {
		this.watches.close();
		this.connection.close();
	}

}

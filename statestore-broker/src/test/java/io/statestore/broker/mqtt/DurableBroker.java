package io.statestore.broker.mqtt;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.statestore.broker.engine.Quota;
import io.statestore.broker.log.TestDisk;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.broker.server.SimulatedStore;
import io.statestore.broker.server.StateStoreServer;
import io.statestore.broker.server.StateStoreServerOptions;
import io.statestore.broker.session.SessionLog;
import io.statestore.broker.session.Sessions;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.test.RawMqttConnection;
import org.jspecify.annotations.Nullable;

/**
 * A broker that keeps its sessions in a directory and uses {@link EchoServer}. It can be
 * stopped and restarted, which does not affect its clock.
 */
final class DurableBroker implements AutoCloseable {

	/** Time that has passed in addition to system time, in nanoseconds. */
	private final AtomicLong nanos = new AtomicLong();

	private final @Nullable TestDisk disk;

	/** Minimum log size at which a snapshot is written on a simulated disk. */
	private long minLogBytes = Long.MAX_VALUE;

	private StorageOptions storage;

	private MqttBrokerSettings settings = new MqttBrokerSettings("localhost", 0, 1_000_000);

	MemoryBudget budget = MemoryBudget.unlimited();

	private @Nullable StateStoreServer server;

	private @Nullable MqttBroker mqtt;

	private DurableBroker(StorageOptions storage, @Nullable TestDisk disk) {
		this.storage = storage;
		this.disk = disk;
	}

	/** Returns a broker that is not started. */
	static DurableBroker in(Path directory) {
		return new DurableBroker(StorageOptions.in(directory), null);
	}

	/** Returns a broker on a simulated disk, which is not started. */
	static DurableBroker on(TestDisk disk) {
		return new DurableBroker(StorageOptions.in(Path.of("/store")), disk);
	}

	DurableBroker with(StorageOptions storage) {
		this.storage = storage;
		return this;
	}

	/** Lets a broker on a simulated disk write snapshots. */
	DurableBroker withSnapshots(long minLogBytes) {
		this.minLogBytes = minLogBytes;
		return this;
	}

	DurableBroker with(MqttBrokerSettings settings) {
		this.settings = settings;
		return this;
	}

	DurableBroker start() {
		StateStoreServerOptions options = StateStoreServerOptions.defaults()
			.withNanoClock(() -> System.nanoTime() + this.nanos.get())
			.withQuota(Quota.UNLIMITED.withSessions(this.budget.maxLasting(), this.budget.maxBytesPerClient()))
			.withStorage(this.storage);
		this.server = (this.disk != null) ? SimulatedStore.start(options, this.disk, this.minLogBytes)
				: new StateStoreServer(options);
		try {
			this.mqtt = MqttBroker.start(this.settings, new EchoServer(), this.budget, log());
			return this;
		}
		catch (RuntimeException ex) {
			close();
			throw ex;
		}
	}

	StateStoreServer server() {
		return Objects.requireNonNull(this.server, "not started");
	}

	MqttBroker mqtt() {
		return Objects.requireNonNull(this.mqtt, "not started");
	}

	int port() {
		return mqtt().port();
	}

	private SessionLog log() {
		return Objects.requireNonNull(server().sessionLog(), "no directory");
	}

	Sessions sessions() {
		return log().sessions();
	}

	/** Waits for all changes that connections made before this call. */
	void awaitChanges() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		log().inOrder(() -> done.complete(null), 0);
		done.orTimeout(20, TimeUnit.SECONDS).join();
	}

	/** Opens a connection whose session ends with it. */
	RawMqttConnection client(String clientId) throws Exception {
		return RawMqttConnection.connected(port(), clientId);
	}

	void pass(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

	/** Stops and restarts the broker. */
	void restart() {
		close();
		start();
	}

	/** Ends the broker on a simulated disk like {@code kill -9} and restarts it. */
	void kill() {
		Objects.requireNonNull(this.disk, "not simulated").kill();
		restart();
	}

	/** Ends the broker on a simulated disk with a power failure and restarts it. */
	void cutPower() {
		Objects.requireNonNull(this.disk, "not simulated").cutPower();
		restart();
	}

	@Override
	public void close() {
		if (this.mqtt != null) {
			this.mqtt.close();
			this.mqtt = null;
		}
		if (this.server != null) {
			this.server.close();
			this.server = null;
		}
	}

}

package io.statestore.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.StateStoreBroker;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.StateStoreTemplate;
import io.statestore.client.history.StateHistory;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.dafka.DafkaRecord;
import io.statestore.dafka.NodeOptions;
import io.statestore.dafka.consumer.Consumer;
import io.statestore.dafka.consumer.OffsetReset;
import io.statestore.dafka.store.Store;
import io.statestore.dafka.tower.Tower;
import io.statestore.protocol.StoredChange;
import org.jspecify.annotations.Nullable;

/** A broker with a client, and a Dafka network with a consumer of the topic. */
final class Network implements AutoCloseable {

	static final String TOPIC = "changes";

	final Tower tower = Tower.builder().bindHost("127.0.0.1").inPort(0).outPort(0).start();

	final NodeOptions options = NodeOptions.builder()
		.tower(this.tower.address())
		.bindHost("127.0.0.1")
		.beaconInterval(Duration.ofMillis(50))
		.build();

	final List<DafkaRecord> records = new CopyOnWriteArrayList<>();

	final StateStoreTemplate template;

	final StateHistory history;

	private final Path data;

	private final Consumer consumer = Consumer.builder(this.options)
		.topics(TOPIC)
		.offsetReset(OffsetReset.EARLIEST)
		.start(this.records::add);

	private final StateStoreConnection connection;

	private StateStoreBroker broker;

	private @Nullable Store store;

	Network(Path data) {
		this.data = data;
		this.broker = start(0, true);
		this.connection = new StateStoreConnection(
				ConnectionOptions.builder().host("127.0.0.1").port(this.broker.port()).build());
		this.connection.start();
		this.template = new StateStoreTemplate(this.connection);
		this.history = new StateHistory(this.connection, Duration.ofSeconds(5));
	}

	private StateStoreBroker start(int port, boolean history) {
		StorageOptions storage = StorageOptions.in(this.data);
		return StateStoreBroker.builder()
			.port(port)
			.storage(history ? storage.withHistory(HistoryRetention.UNLIMITED) : storage)
			.start();
	}

	void startStore() {
		this.store = Store.builder(this.options).start();
	}

	void restartBroker(boolean history) {
		int port = this.broker.port();
		this.broker.close();
		this.broker = start(port, history);
	}

	void stopBroker() {
		this.broker.close();
	}

	ChangeTopic publish(Path directory) {
		return new ChangeTopic(this.history, this.options, TOPIC, directory, Duration.ofMillis(20));
	}

	/** Returns all changes in the history of the broker. */
	List<StoredChange> changes() {
		return this.history.changes("*").toList();
	}

	/** Returns the changes that the consumer has received. */
	List<StoredChange> received() {
		return this.records.stream().map((record) -> ChangeTopic.decode(record.content())).toList();
	}

	@Override
	public void close() {
		this.connection.close();
		this.broker.close();
		this.consumer.close();
		if (this.store != null) {
			this.store.close();
		}
		this.tower.close();
	}

}

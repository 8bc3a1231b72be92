package io.statestore.client.watch;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.statestore.broker.StateStoreBroker;
import io.statestore.client.KeyChange;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

import static org.awaitility.Awaitility.await;

/**
 * A real server, a watcher behind a proxy that can cut its connection, and a writer.
 */
@Timeout(60)
abstract class WatchEndToEndFixture {

	final List<KeyChange<String>> delivered = new CopyOnWriteArrayList<>();

	StateStoreBroker broker = StateStoreBroker.builder().start();

	final FaultProxy proxy = new FaultProxy(this.broker.port());

	final TestClient watcher = new TestClient(this.proxy.port()).start();

	final TestClient writer = new TestClient(this.broker.port()).start();

	@AfterEach
	void close() {
		this.watcher.close();
		this.writer.close();
		this.proxy.close();
		this.broker.close();
	}

	KeyChange<String> last() {
		return this.delivered.get(this.delivered.size() - 1);
	}

	void awaitDelivered(int count) {
		await(count + " changes, but there are " + this.delivered).until(() -> this.delivered.size() >= count);
	}

}

package io.statestore.client.mqtt.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import ch.qos.logback.classic.Level;
import io.netty.handler.codec.mqtt.MqttConnectMessage;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.test.CapturedLog;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;

import static org.awaitility.Awaitility.await;

/** Connections to a fake broker, all closed at the end of a test. */
abstract class ConnectionFixture {

	final FakeBroker broker = new FakeBroker();

	final CapturedLog log = new CapturedLog("io.statestore.client.mqtt", Level.DEBUG);

	final List<MqttConnection> connections = new ArrayList<>();

	/** Threads of earlier tests in this JVM. */
	final Set<Thread> earlier = Thread.getAllStackTraces().keySet();

	@AfterEach
	void close() {
		this.connections.forEach(MqttConnection::close);
		this.broker.close();
		this.log.close();
	}

	MqttConnection connection() {
		return connection(this.broker.options());
	}

	MqttConnection connection(ConnectionOptions.Builder options) {
		MqttConnection connection = new MqttConnection(options.build());
		this.connections.add(connection);
		return connection;
	}

	String url() {
		return "mqtt://127.0.0.1:" + this.broker.port();
	}

	static MqttProperties properties(MqttConnectMessage connect) {
		return connect.variableHeader().properties();
	}

	List<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("statestore-"))
			.filter((thread) -> !this.earlier.contains(thread))
			.toList();
	}

	/** Waits for the end of all threads, except for those that end when idle. */
	void awaitNoThreads() {
		try {
			await("the end of all threads").until(() -> threads().stream()
				.allMatch((thread) -> thread.getName().matches("statestore-(reply|timer|listener).*")));
		}
		catch (ConditionTimeoutException ex) {
			threads().forEach((thread) -> ex.addSuppressed(stackOf(thread)));
			throw ex;
		}
	}

	static Throwable stackOf(Thread thread) {
		Throwable result = new IllegalStateException(thread.toString());
		result.setStackTrace(thread.getStackTrace());
		return result;
	}

}

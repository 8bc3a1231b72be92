package io.statestore.broker.mqtt;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.artemis.ArtemisServer;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.test.RawMqttConnection;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class TcpEndpointTests {

	@Test
	void closesConnectionWithoutWarningWhenArtemisHasStopped() throws Exception {
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
		MqttBrokerSettings settings = new MqttBrokerSettings("localhost", 0, 1_000);
		try (ArtemisServer artemis = new ArtemisServer(1_000, null, MemoryBudget.unlimited(), System::nanoTime,
				(error) -> {
					throw error;
				})) {
			artemis.start((pipeline, next, memory) -> (full) -> {
			});
			artemis.stop();
			TcpEndpoint endpoint = TcpEndpoint.listen(settings, MemoryBudget.unlimited(), artemis::accept);
			root.addAppender(log);
			try (RawMqttConnection client = new RawMqttConnection(endpoint.port())) {
				client.assertClosed();
			}
			finally {
				root.detachAppender(log);
				endpoint.close();
			}
		}
		assertThat(log.list).isEmpty();
	}

}

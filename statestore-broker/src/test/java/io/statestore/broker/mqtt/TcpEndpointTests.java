package io.statestore.broker.mqtt;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.test.RawMqttConnection;
import org.apache.activemq.artemis.core.remoting.impl.netty.NettyAcceptor;
import org.apache.activemq.artemis.core.server.ActiveMQServer;
import org.apache.activemq.artemis.core.server.impl.ActiveMQServerImpl;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

class TcpEndpointTests {

	@Test
	void quietlyEndsConnectionsThatTheBrokerDoesNotTake() throws Exception {
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
		MqttBrokerSettings settings = new MqttBrokerSettings("localhost", 0, 1_000, null);
		ActiveMQServer server = new ActiveMQServerImpl(ArtemisConfiguration.of(settings));
		AuditLogGuard.start(server);
		// Not started, as it is when the broker is about to stop.
		NettyAcceptor acceptor = (NettyAcceptor) server.getRemotingService().getAcceptor(ArtemisConfiguration.ACCEPTOR);
		TcpEndpoint endpoint = new TcpEndpoint(acceptor, settings, MemoryBudget.unlimited());
		root.addAppender(log);
		try (RawMqttConnection client = new RawMqttConnection(endpoint.port())) {
			client.assertClosed();
		}
		finally {
			root.detachAppender(log);
			endpoint.close();
			server.stop();
		}
		assertThat(log.list).isEmpty();
	}

}

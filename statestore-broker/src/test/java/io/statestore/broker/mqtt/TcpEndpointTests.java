package io.statestore.broker.mqtt;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.NettyRuntime;
import io.statestore.broker.memory.MemoryBudget;
import io.statestore.test.RawConnect;
import io.statestore.test.RawMqttConnection;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

@Isolated("captures the log")
class TcpEndpointTests {

	@Test
	void closesConnectionWithoutWarningWhileServerStops() throws Exception {
		ListAppender<ILoggingEvent> log = new ListAppender<>();
		log.start();
		Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
		MqttBrokerSettings settings = new MqttBrokerSettings("localhost", 0, 1_000);
		MqttBroker broker = new MqttBroker(settings, new EchoServer(), MemoryBudget.unlimited(), null);
		broker.close();
		TcpEndpoint endpoint = new TcpEndpoint(settings, MemoryBudget.unlimited(), broker::open, null);
		root.addAppender(log);
		try (RawMqttConnection client = new RawMqttConnection(endpoint.port())) {
			client.assertClosed();
		}
		finally {
			root.detachAppender(log);
			endpoint.close();
		}
		assertThat(log.list).isEmpty();
	}

	@Test
	void closesConnectionsBeingAccepted() throws Exception {
		CountDownLatch accepted = new CountDownLatch(2);
		CountDownLatch proceed = new CountDownLatch(1);
		TcpEndpoint endpoint = new TcpEndpoint(new MqttBrokerSettings("localhost", 0, 1_000), MemoryBudget.unlimited(),
				(channel, memory) -> {
					if (channel.eventLoop() == channel.parent().eventLoop()) {
						accepted.countDown();
					}
					else {
						await(proceed);
					}
				}, null);
		List<RawMqttConnection> clients = new ArrayList<>();
		Thread stop = new Thread(endpoint::closeConnections);
		try {
			// Two tasks per event loop, the second of which waits for the first.
			for (int i = 0; i < NettyRuntime.availableProcessors(); i++) {
				RawMqttConnection client = new RawMqttConnection(endpoint.port());
				clients.add(client);
				client.send(RawConnect.of("c" + i));
			}
			await(accepted);
			stop.start();
			Awaitility.await("closing").until(() -> stop.getState() == Thread.State.TIMED_WAITING);
			proceed.countDown();
			stop.join();
			for (RawMqttConnection client : clients) {
				client.assertClosed();
			}
		}
		finally {
			proceed.countDown();
			endpoint.close();
			for (RawMqttConnection client : clients) {
				client.close();
			}
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Test
	void waitsForClosedConnectionHandlers() throws Exception {
		CountDownLatch accepted = new CountDownLatch(1);
		CountDownLatch stopped = new CountDownLatch(1);
		AtomicBoolean ended = new AtomicBoolean();
		TcpEndpoint endpoint = new TcpEndpoint(new MqttBrokerSettings("localhost", 0, 1_000), MemoryBudget.unlimited(),
				(channel, memory) -> {
					channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {

						@Override
						public void channelInactive(ChannelHandlerContext context) {
							ended.set(true);
						}

					});
					// Netty calls the handlers after the listeners.
					channel.closeFuture().addListener((closed) -> stopped.await(300, TimeUnit.MILLISECONDS));
					accepted.countDown();
				}, null);
		try (RawMqttConnection client = new RawMqttConnection(endpoint.port())) {
			client.send(RawConnect.of("c1"));
			accepted.await();
			endpoint.closeConnections();
			boolean waited = ended.get();
			stopped.countDown();
			assertThat(waited).isTrue();
		}
		finally {
			endpoint.close();
		}
	}

}

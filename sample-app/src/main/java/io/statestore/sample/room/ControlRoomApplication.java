package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.statestore.boot.StateStoreConnectionDetails;
import io.statestore.sample.room.RoomProperties.Broker;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** The control room: its broker, and what the page shows. */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(RoomProperties.class)
@EnableScheduling
public class ControlRoomApplication {

	/** Lease of the leader in {@code application-press.yml}. */
	private static final Duration LEASE = Duration.ofSeconds(5);

	private static final Logger logger = LoggerFactory.getLogger(ControlRoomApplication.class);

	@Bean
	Line line(RoomProperties properties, @Value("${statestore.port}") int port) {
		return new Line(name(properties, port), LEASE);
	}

	private static String name(RoomProperties properties, int port) {
		if (properties.isCluster()) {
			return "Three brokers, ports " + port + " to " + (port + properties.brokers() - 1);
		}
		return (properties.broker() == Broker.EMBEDDED) ? "Embedded broker, port " + port
				: "Mosquitto with gateway, port " + port;
	}

	/** The client connects to any of three brokers: docs/several-hosts.md. */
	@Bean
	@ConditionalOnProperty(name = "sample.brokers", havingValue = "3")
	StateStoreConnectionDetails connectionDetails(Brokers brokers) {
		return new BrokersDetails(brokers.ports());
	}

	@Bean
	LineBroker broker(RoomProperties properties, @Value("${statestore.host}") String host,
			@Value("${statestore.port}") int port, Line line, Brokers brokers) {
		if (!host.equals("localhost") && !host.equals("127.0.0.1")) {
			throw new InvalidConfigurationPropertyValueException("statestore.host", host,
					"The control room connects to the broker that it starts, which is available on this machine only. "
							+ "Remove the property, or start a press with it: --sample.name=press-3");
		}
		Path directory = properties.data().toAbsolutePath().normalize();
		LineBroker broker = new LineBroker(server(properties, directory, brokers), port, line);
		logger.info("The data is in {} and survives a restart. Delete the directory to start over", directory);
		return broker;
	}

	private static BrokerServer server(RoomProperties properties, Path directory, Brokers brokers) {
		if (properties.isCluster()) {
			return brokers;
		}
		return (properties.broker() == Broker.EMBEDDED) ? new EmbeddedServer(directory)
				: new MosquittoServer(directory);
	}

	/** Renders the page before the presses start, so that the first request is fast. */
	@Bean
	ApplicationRunner firstPage(PageRenderer renderer) {
		return (arguments) -> renderer.everything(renderer.state(), true);
	}

	/** The hosts of three brokers. */
	private record BrokersDetails(List<Integer> ports) implements StateStoreConnectionDetails {

		@Override
		public String getHost() {
			return "localhost";
		}

		@Override
		public int getPort() {
			return this.ports.get(0);
		}

		@Override
		public List<String> getHosts() {
			return this.ports.stream().map((port) -> "localhost:" + port).toList();
		}

	}

}

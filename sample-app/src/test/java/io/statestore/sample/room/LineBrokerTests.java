package io.statestore.sample.room;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import io.statestore.sample.Ports;
import io.statestore.sample.room.RoomProperties.Broker;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LineBrokerTests {

	@Test
	void namesPropertyIfPortIsInUse(@TempDir Path directory) throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
			assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
				.isThrownBy(() -> start(directory, socket.getLocalPort()))
				.satisfies((ex) -> assertThat(ex.getName()).isEqualTo("statestore.port"))
				.withMessageContaining("in use")
				.withMessageContaining("--statestore.port=1893");
		}
	}

	@Test
	void namesPropertyIfDirectoryIsInUse(@TempDir Path directory) {
		LineBroker first = start(directory, Ports.free());
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> start(directory, Ports.free()))
			.satisfies((ex) -> assertThat(ex.getName()).isEqualTo("sample.directory"))
			.withMessageContaining("--sample.directory=");
		first.stop();
	}

	@ParameterizedTest
	@CsvSource({ "statestore.host, broker.example", "sample.presses, 'press-1, press-/'" })
	void namesInvalidProperty(String property, String value, @TempDir Path directory) {
		assertThatThrownBy(() -> ControlRoomTests.run(Ports.free(), directory, "--" + property + '=' + value).close())
			.satisfies((ex) -> assertThat(causes(ex))
				.anySatisfy((cause) -> assertThat(cause.getMessage()).contains(property)
					.contains(value.substring(value.indexOf(' ') + 1))));
	}

	private static List<Throwable> causes(Throwable failure) {
		return Stream.iterate(failure, Objects::nonNull, Throwable::getCause).toList();
	}

	private static LineBroker start(Path directory, int port) {
		RoomProperties properties = new RoomProperties(directory, Broker.EMBEDDED, 1, List.of(), Duration.ofSeconds(12),
				Duration.ofSeconds(10));
		Line line = new Line(properties);
		LineBroker broker = new LineBroker(properties, "localhost", port, line, new Brokers(properties, line, port));
		broker.start();
		return broker;
	}

}

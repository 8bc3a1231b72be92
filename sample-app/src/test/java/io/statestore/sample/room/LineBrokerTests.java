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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class LineBrokerTests {

	private final Line line = new Line("broker", Duration.ofSeconds(5));

	@Test
	void namesPropertyIfPortIsInUse(@TempDir Path directory) throws IOException {
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("localhost"))) {
			assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
				.isThrownBy(() -> new LineBroker(new EmbeddedServer(directory), socket.getLocalPort(), this.line))
				.satisfies((ex) -> assertThat(ex.getName()).isEqualTo("statestore.port"))
				.withMessageContaining("in use")
				.withMessageContaining("--statestore.port=1893");
		}
	}

	@Test
	void namesPropertyIfDirectoryIsInUse(@TempDir Path directory) {
		EmbeddedServer server = new EmbeddedServer(directory);
		try (LineBroker first = start(server)) {
			assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class).isThrownBy(() -> start(server))
				.satisfies((ex) -> assertThat(ex.getName()).isEqualTo("sample.directory"))
				.withMessageContaining("--sample.directory=");
		}
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

	@Test
	@Timeout(60)
	void reportsErrorOfFirstStart() {
		BrokerServer server = (port) -> {
			throw new UnsatisfiedLinkError("no library");
		};
		assertThatExceptionOfType(UnsatisfiedLinkError.class).isThrownBy(() -> start(server)).withMessage("no library");
	}

	@Test
	void stopsBrokerWhoseApplicationHasNotStarted(@TempDir Path directory) throws IOException {
		EmbeddedServer server = new EmbeddedServer(directory);
		new LineBroker(server, Ports.free(), this.line).close();
		start(server).close();
	}

	private LineBroker start(BrokerServer server) {
		LineBroker broker = new LineBroker(server, Ports.free(), this.line);
		broker.start();
		return broker;
	}

}

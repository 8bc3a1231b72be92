package io.statestore.sample.room;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.statestore.sample.room.RoomProperties.Broker;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@DisabledOnOs(OS.WINDOWS)
class RoomPropertiesTests {

	@Test
	void keepsDataInUserStateDirectory() {
		assertThat(RoomProperties.data("/state", "/home/user")).isEqualTo(Path.of("/state/packaging-line"));
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "relative" })
	void ignoresInvalidStateDirectory(@Nullable String stateHome) {
		assertThat(RoomProperties.data(stateHome, "/home/user"))
			.isEqualTo(Path.of("/home/user/.local/state/packaging-line"));
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "?" })
	void namesPropertyIfHomeIsMissing(@Nullable String home) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> RoomProperties.data("", home))
			.satisfies((ex) -> assertThat(ex.getName()).isEqualTo("sample.directory"))
			.withMessageContaining("--sample.directory=");
	}

	@Test
	void refusesDurationsBelowOneSecond() {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> properties(Duration.ofMillis(999), Duration.ofSeconds(1)))
			.withMessageContaining("sample.pause")
			.withMessageContaining("at least one second");
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> properties(Duration.ofSeconds(1), Duration.ZERO))
			.withMessageContaining("sample.cut");
	}

	@ParameterizedTest
	@ValueSource(ints = { -3, 0, 2, 4 })
	void refusesBrokerCountOtherThanOneOrThree(int brokers) {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> properties(Broker.EMBEDDED, brokers))
			.satisfies((ex) -> assertThat(ex.getName()).isEqualTo("sample.brokers"))
			.withMessageContaining("It must be 1, or 3");
		assertThat(properties(Broker.EMBEDDED, 1).isCluster()).isFalse();
		assertThat(properties(Broker.EMBEDDED, 3).isCluster()).isTrue();
	}

	@Test
	void refusesThreeBrokersWithMosquitto() {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> properties(Broker.MOSQUITTO, 3))
			.satisfies((ex) -> assertThat(ex.getName()).isEqualTo("sample.brokers"))
			.withMessageContaining("'sample.broker'");
	}

	private static RoomProperties properties(Broker broker, int brokers) {
		return new RoomProperties(null, broker, brokers, List.of("press-1"), Duration.ofSeconds(1),
				Duration.ofSeconds(1));
	}

	@Test
	void prefersConfiguredDirectory() {
		assertThat(properties(Duration.ofSeconds(1), Duration.ofSeconds(1)).data())
			.isEqualTo(Path.of("line").toAbsolutePath());
	}

	private static RoomProperties properties(Duration pause, Duration cut) {
		return new RoomProperties(Path.of("line"), Broker.EMBEDDED, 1, List.of("press-1"), pause, cut);
	}

}

package io.statestore.client.mqtt;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

import io.statestore.client.mqtt.ConnectionOptions.Builder;
import io.statestore.client.mqtt.ConnectionOptions.Tls;
import io.statestore.protocol.InvalidOptionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ConnectionOptionsTests {

	@Test
	void defaultsSuitLocalBroker() {
		ConnectionOptions options = ConnectionOptions.builder().build();
		assertThat(options.url()).isEqualTo("mqtt://localhost:1883");
		assertThat(options.clientId()).matches("statestore-[0-9a-f]{8}");
		assertThat(options.requestTimeout()).isEqualTo(Duration.ofSeconds(10));
		assertThat(options.keepAlive()).isEqualTo(Duration.ofSeconds(60));
		assertThat(ConnectionOptions.builder().build().clientId()).isNotEqualTo(options.clientId());
	}

	@Test
	void tlsUsesPort8883AndVerifiesHost() throws Exception {
		Tls tls = new Tls(SSLContext.getDefault());
		assertThat(tls.verifyHostname()).isTrue();
		assertThat(ConnectionOptions.builder().tls(tls).build().url()).isEqualTo("mqtts://localhost:8883");
		assertThat(ConnectionOptions.builder().tls(tls).port(1).build().url()).isEqualTo("mqtts://localhost:1");
	}

	@Test
	void urlHasAllHostsWithPortsOfTls() throws Exception {
		Tls tls = new Tls(SSLContext.getDefault());
		ConnectionOptions options = ConnectionOptions.builder().hosts(List.of("a", "[::1]", "c:1")).build();
		assertThat(options.url()).isEqualTo("mqtt://a:1883,[::1]:1883,c:1");
		assertThat(options.toString()).contains(options.url());
		assertThat(options.hosts().get(0).host()).isEqualTo("a");
		assertThat(options.hosts().get(0).port()).isEqualTo(1883);
		assertThat(options.withClientId("other").hosts()).isEqualTo(options.hosts());
		assertThat(ConnectionOptions.builder().hosts(List.of("a", "c:1")).tls(tls).build().url())
			.isEqualTo("mqtts://a:8883,c:1");
		assertThat(ConnectionOptions.builder().host("b").hosts(List.of()).build().url()).isEqualTo("mqtt://b:1883");
	}

	@Test
	void hidesSecrets() {
		assertThat(ConnectionOptions.builder().username("user").password("secret").build().toString())
			.doesNotContain("secret");
	}

	@Test
	void exceptionHasOptionValueAndReason() {
		assertThatExceptionOfType(InvalidOptionException.class)
			.isThrownBy(() -> ConnectionOptions.builder().port(99_999).build())
			.satisfies((invalid) -> {
				assertThat(invalid.option()).isEqualTo("port");
				assertThat(invalid.value()).isEqualTo("99999");
				assertThat(invalid.reason()).isEqualTo("It must be 1 to 65535.");
			});
	}

	@Test
	void reasonIncludesAdvice() {
		assertThat(new InvalidOptionException("lease", Duration.ZERO, "must be positive", "Use 30 s"))
			.hasMessage("'lease' must be positive, but is PT0S. Use 30 s")
			.extracting((invalid) -> invalid.reason())
			.isEqualTo("It must be positive. Use 30 s.");
	}

	static Stream<Arguments> outOfRange() {
		return Stream.of(bad((b) -> b.host(" "), "'host' must be the name or address of the broker, but is ' '"),
				bad((b) -> b.port(0), "'port' must be 1 to 65535, but is 0"),
				bad((b) -> b.port(65_536), "'port' must be 1 to 65535, but is 65536"),
				bad((b) -> b.host("a").hosts(List.of("b", "c")),
						"'hosts' must not be set together with 'host', but is 'b,c'. Set only one of them"),
				bad((b) -> b.hosts(List.of("b")).port(1883), "'hosts' must not be set together with 'port'"),
				bad((b) -> b.hosts(List.of("b", "b:1883")), "'hosts' must not contain a host twice"),
				bad((b) -> b.hosts(List.of("b", "")), "'hosts' must not contain blank entries"),
				bad((b) -> b.clientId(""),
						"'clientId' must be 1 to 256 characters without '+', '#', and control characters, but is ''"),
				bad((b) -> b.clientId("a+"), "but is 'a+'"), bad((b) -> b.clientId("a\n"), "'clientId' must be"),
				bad((b) -> b.clientId("\ud800"), "'clientId' must be"),
				bad((b) -> b.clientId("x".repeat(257)), "'clientId' must be 1 to 256"),
				bad((b) -> b.clientId("statestore/v1/FA9AE35F-2F64-47CD-9BFF-08E2B32A0FE8"),
						"'clientId' must be different from the topics of the state store"),
				bad((b) -> b.password("secret"), "'username' must be set, because a password is set, but is null"),
				bad((b) -> b.connectTimeout(Duration.ZERO), "'connectTimeout' must be PT0.001S to PT24H, but is PT0S"),
				bad((b) -> b.startTimeout(Duration.ofMillis(-1)), "'startTimeout' must be PT0S to"),
				bad((b) -> b.requestTimeout(Duration.ofDays(2)), "'requestTimeout' must be PT0.001S to PT24H"),
				bad((b) -> b.keepAlive(Duration.ofMillis(1500)), "'keepAlive' must be a whole number of seconds"),
				bad((b) -> b.keepAlive(Duration.ofSeconds(65_536)), "'keepAlive' must be PT0S to"),
				bad((b) -> b.reconnectDelay(Duration.ZERO, Duration.ofSeconds(1)), "'reconnectInitialDelay' must be"),
				bad((b) -> b.reconnectDelay(Duration.ofSeconds(2), Duration.ofSeconds(1)),
						"'reconnectMaxDelay' must be PT2S to PT24H, but is PT1S"),
				bad((b) -> b.maxInFlight(0), "'maxInFlight' must be 1 to 65000, but is 0"),
				bad((b) -> b.maxInFlight(65_001), "'maxInFlight' must be 1 to 65000"),
				bad((b) -> b.maxPending(0), "'maxPending' must be 1 to"),
				bad((b) -> b.maxPendingSize(0), "'maxPendingSize' must be at least 1 byte, but is 0"));
	}

	private static Arguments bad(UnaryOperator<Builder> change, String message) {
		return Arguments.of(change, message);
	}

	@ParameterizedTest
	@MethodSource("outOfRange")
	void namesOptionValueAndRange(UnaryOperator<Builder> change, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> change.apply(ConnectionOptions.builder()).build())
			.withMessageContaining(message);
	}

}

package io.statestore.boot.actuate;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.broker.StateStoreBroker;
import io.statestore.client.StateStoreOperations;
import io.statestore.client.StateStoreRefusedException;
import io.statestore.client.mqtt.BrokerAddress;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.mqtt.ConnectionStatus;
import io.statestore.client.mqtt.ConnectionStatus.RoundTrip;
import io.statestore.client.mqtt.StateStoreConnection;
import io.statestore.protocol.ErrorReason;
import io.statestore.test.FaultProxy;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

@Timeout(60)
class StateStoreHealthTests {

	private static final String CONTRIBUTOR = "statestoreHealthContributor";

	private static final StateStoreBroker broker = StateStoreBroker.builder().start();

	private final StateStoreConnection connection = mock(StateStoreConnection.class);

	@AfterAll
	static void stop() {
		broker.close();
	}

	private static ApplicationContextRunner contextRunner(int port) {
		return new ApplicationContextRunner()
			.withPropertyValues("statestore.port=" + port, "statestore.client-id=oven-1")
			.withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, StateStoreAutoConfiguration.class,
					StateStoreHealthContributorAutoConfiguration.class));
	}

	@Test
	void reportsUpWithConnectionAndRoundTrip() {
		contextRunner(broker.port()).run((context) -> {
			context.getBean(StateStoreOperations.class).set("key", "value");
			Health health = health(context.getBean(CONTRIBUTOR, HealthIndicator.class));
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).containsEntry("broker", "mqtt://localhost:" + broker.port())
				.containsEntry("clientId", "oven-1")
				.containsOnlyKeys("broker", "clientId", "connectedSince", "lastRoundTrip", "clockOffset");
		});
	}

	@Test
	void reportsDownWithDiagnosisWithoutBroker() {
		contextRunner(1).withPropertyValues("statestore.start-timeout=0s").run((context) -> {
			HealthIndicator indicator = context.getBean(CONTRIBUTOR, HealthIndicator.class);
			await().until(() -> String.valueOf(health(indicator).getDetails().get("error"))
				.contains("Check statestore.host and statestore.port"));
			assertThat(health(indicator).getStatus()).isEqualTo(Status.DOWN);
			assertThat(health(indicator).getDetails()).containsOnlyKeys("broker", "clientId", "disconnectedSince",
					"error");
		});
	}

	@Test
	void namesActiveHostOrFailurePerHost() {
		try (FaultProxy network = new FaultProxy(broker.port())) {
			String hosts = "localhost:1,localhost:" + network.port();
			contextRunner(1)
				.withPropertyValues("statestore.port=", "statestore.hosts=" + hosts, "statestore.start-timeout=20s")
				.run((context) -> {
					HealthIndicator indicator = context.getBean(CONTRIBUTOR, HealthIndicator.class);
					assertThat(health(indicator).getDetails()).containsEntry("broker",
							"mqtt://localhost:" + network.port());
					network.block();
					await().until(() -> String.valueOf(health(indicator).getDetails().get("error"))
						.startsWith("No connection to mqtt://" + hosts + " (localhost:1: connection refused; localhost:"
								+ network.port() + ": the broker closed the connection). "));
					assertThat(health(indicator).getStatus()).isEqualTo(Status.DOWN);
					assertThat(health(indicator).getDetails()).containsEntry("broker", "mqtt://" + hosts);
				});
		}
	}

	@Test
	void reportsDownAfterTimeoutIfStoreDoesNotAnswer() {
		try (FaultProxy network = new FaultProxy(broker.port())) {
			contextRunner(network.port()).withPropertyValues("management.health.statestore.timeout=200ms")
				.run((context) -> {
					HealthIndicator indicator = context.getBean(CONTRIBUTOR, HealthIndicator.class);
					network.stall();
					await().until(() -> health(indicator).getStatus().equals(Status.DOWN));
					assertThat(health(indicator).getDetails().get("error")).asString()
						.containsAnyOf("No reply to GET within 0.2 s", "not answered within 200 ms");
					network.resume();
					await().until(() -> health(indicator).getStatus().equals(Status.UP));
				});
		}
	}

	@Test
	void applicationTrafficReplacesProbe() {
		connected(Duration.ofMinutes(1));
		given(this.connection.lastRoundTrip()).willReturn(roundTrip(Duration.ofMillis(900)));
		assertThat(mockedHealth().getStatus()).isEqualTo(Status.UP);
		verify(this.connection, never()).invokeForWaiter(any(), any());
	}

	@Test
	void probesIfRoundTripPrecedesConnection() {
		connected(Duration.ofMillis(500));
		given(this.connection.lastRoundTrip()).willReturn(roundTrip(Duration.ofMillis(900)));
		given(this.connection.invokeForWaiter(any(), any())).willReturn(new CompletableFuture<>());
		assertThat(mockedHealth().getStatus()).isEqualTo(Status.DOWN);
	}

	@Test
	void refusalIsAnAnswer() {
		connected(Duration.ofMinutes(1));
		given(this.connection.lastRoundTrip()).willReturn(Optional.empty());
		given(this.connection.invokeForWaiter(any(), any())).willReturn(CompletableFuture
			.failedFuture(StateStoreRefusedException.of(ErrorReason.FENCING_TOKEN_REQUIRED, "on purpose")));
		assertThat(mockedHealth().getStatus()).isEqualTo(Status.UP);
	}

	private void connected(Duration duration) {
		given(this.connection.clockOffset()).willReturn(Optional.empty());
		given(this.connection.getUrl()).willReturn("mqtt://broker");
		given(this.connection.getClientId()).willReturn("oven-1");
		given(this.connection.status())
			.willReturn(new ConnectionStatus(true, new BrokerAddress("localhost", 1883), duration, 0, null));
	}

	private static Optional<RoundTrip> roundTrip(Duration age) {
		return Optional.of(new RoundTrip(age, Duration.ofMillis(1)));
	}

	private Health mockedHealth() {
		return health(new StateStoreHealthIndicator(this.connection, Duration.ofMillis(10)));
	}

	@Test
	void isCompositeForSeveralConnections() {
		contextRunner(broker.port()).withUserConfiguration(SecondBroker.class).run((context) -> {
			CompositeHealthContributor composite = context.getBean(CONTRIBUTOR, CompositeHealthContributor.class);
			assertThat(composite.stream().map((entry) -> entry.name())).containsExactly("plantConnection",
					"stateStoreConnection");
			assertThat(health((HealthIndicator) Objects.requireNonNull(composite.getContributor("plantConnection")))
				.getStatus()).isEqualTo(Status.DOWN);
		});
	}

	@Test
	void isAbsentIfDisabled() {
		contextRunner(broker.port()).withPropertyValues("management.health.statestore.enabled=false")
			.run((context) -> assertThat(context).hasSingleBean(StateStoreConnection.class)
				.doesNotHaveBean(HealthContributor.class));
	}

	@Test
	void isAbsentWithoutHealthApi() {
		contextRunner(broker.port()).withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasSingleBean(StateStoreConnection.class)
				.doesNotHaveBean(CONTRIBUTOR));
	}

	@Test
	void refusesNonPositiveTimeout() {
		contextRunner(broker.port()).withPropertyValues("management.health.statestore.timeout=0s")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("management.health.statestore.timeout"));
	}

	private static Health health(HealthIndicator indicator) {
		return Objects.requireNonNull(indicator.health());
	}

	@Configuration(proxyBeanMethods = false)
	static class SecondBroker {

		@Bean(defaultCandidate = false)
		StateStoreConnection plantConnection() {
			return new StateStoreConnection(ConnectionOptions.builder().port(1).startTimeout(Duration.ZERO).build());
		}

	}

}

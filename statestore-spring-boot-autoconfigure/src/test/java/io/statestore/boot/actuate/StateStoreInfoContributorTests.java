package io.statestore.boot.actuate;

import java.util.HashMap;
import java.util.Map;

import io.statestore.boot.EmbeddedStateStoreAutoConfiguration;
import io.statestore.boot.StateStoreAutoConfiguration;
import io.statestore.client.mqtt.StateStoreConnection;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.info.Info;
import org.springframework.boot.actuate.info.InfoContributor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

class StateStoreInfoContributorTests {

	private final ApplicationContextRunner contextRunner = new ApplicationContextRunner()
		.withPropertyValues("statestore.port=1", "statestore.start-timeout=0s", "statestore.client-id=oven-1")
		.withConfiguration(AutoConfigurations.of(EmbeddedStateStoreAutoConfiguration.class,
				StateStoreAutoConfiguration.class, StateStoreInfoContributorAutoConfiguration.class));

	@Test
	@SuppressWarnings("unchecked")
	void describesProtocolAndConnections() {
		this.contextRunner.withPropertyValues("management.info.statestore.enabled=true").run((context) -> {
			Map<String, Object> details = new HashMap<>(
					(Map<String, Object>) info(context.getBean(InfoContributor.class)).get("statestore"));
			// Known only if the classes are in a JAR file.
			details.remove("version");
			assertThat(details).isEqualTo(Map.of("protocolVersion", "1.0", "embedded", false, "connections",
					Map.of("stateStoreConnection", Map.of("broker", "mqtt://localhost:1", "clientId", "oven-1"))));
		});
	}

	@Test
	void showsThatBrokerIsEmbedded() {
		this.contextRunner
			.withPropertyValues("management.info.statestore.enabled=true", "statestore.embedded.enabled=true")
			.run((context) -> assertThat(info(context.getBean(InfoContributor.class)).get("statestore")).asString()
				.contains("embedded=true"));
	}

	@Test
	void isAbsentByDefault() {
		this.contextRunner.run((context) -> assertThat(context).hasSingleBean(StateStoreConnection.class)
			.doesNotHaveBean(InfoContributor.class));
	}

	private static Map<String, Object> info(InfoContributor contributor) {
		Info.Builder builder = new Info.Builder();
		contributor.contribute(builder);
		return builder.build().getDetails();
	}

}

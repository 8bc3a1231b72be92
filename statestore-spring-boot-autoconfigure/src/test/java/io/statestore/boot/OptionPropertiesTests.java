package io.statestore.boot;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.Set;
import java.util.stream.Stream;

import io.statestore.boot.internal.OptionProperties;
import io.statestore.broker.StateStoreBrokerBuilder;
import io.statestore.broker.memory.Limits;
import io.statestore.broker.storage.HistoryRetention;
import io.statestore.broker.storage.StorageOptions;
import io.statestore.client.lock.LockOptions;
import io.statestore.client.mqtt.ConnectionOptions;
import io.statestore.client.watch.WatchOptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class OptionPropertiesTests {

	private final Set<String> properties = PropertyMetadata.read().names();

	/** Types with options, and those of their options that no property sets. */
	static Stream<Arguments> options() {
		return Stream.of(arguments("statestore.", ConnectionOptions.class, Set.of("authentication", "maxPendingSize")),
				arguments("statestore.lock.", LockOptions.class, Set.of()),
				arguments("statestore.listener.", WatchOptions.class, Set.of("retryInitialDelay", "retryMaxDelay")),
				arguments("statestore.embedded.", StateStoreBrokerBuilder.class,
						Set.of("account", "administration", "authenticator", "authorizer", "limits", "maxConnectSize",
								"maxConnectionsPerAddress", "maxPacketSize", "maxPropertiesSize", "maxSessionExpiry",
								"principalLimits", "protocolDialect", "storage", "time", "tls")),
				arguments("statestore.embedded.", Limits.class,
						Set.of("clientMemory", "memoryPerClient", "replyMemory")),
				arguments("statestore.embedded.", StorageOptions.class, Set.of("fsyncInterval")),
				arguments("statestore.embedded.history.", HistoryRetention.class, Set.of()));
	}

	@ParameterizedTest
	@MethodSource("options")
	void everyOptionNamesAnExistingProperty(String prefix, Class<?> type, Set<String> withoutProperty) {
		assertThat(names(type)).isNotEmpty().allSatisfy((option) -> {
			String property = OptionProperties.name(prefix, option);
			assertThat(this.properties.contains(property)).as(property).isEqualTo(!withoutProperty.contains(option));
		});
	}

	private static Stream<String> names(Class<?> type) {
		return type.isRecord() ? Stream.of(type.getRecordComponents()).map(RecordComponent::getName)
				: Stream.of(type.getDeclaredMethods())
					.filter((method) -> Modifier.isPublic(method.getModifiers()) && method.getReturnType() == type)
					.map(Method::getName);
	}

}

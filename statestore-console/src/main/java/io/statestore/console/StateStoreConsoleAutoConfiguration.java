package io.statestore.console;

import java.util.Optional;

import io.statestore.client.StateStoreTemplate;
import io.statestore.client.history.StateHistory;
import io.statestore.client.mqtt.StateStoreConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Auto-configuration for the console, in servlet applications with a state store. Without
 * Spring Security, the console is unavailable and a warning is logged, unless the
 * application sets {@code statestore.console.insecure}.
 */
@AutoConfiguration(afterName = "io.statestore.boot.StateStoreAutoConfiguration")
@ConditionalOnWebApplication(type = Type.SERVLET)
@ConditionalOnClass({ StateStoreTemplate.class, RouterFunctions.class })
@ConditionalOnBean(name = { "stateStoreTemplate", "stateStoreConnection", "stateHistory" })
@EnableConfigurationProperties(StateStoreConsoleProperties.class)
public final class StateStoreConsoleAutoConfiguration {

	/** Name of Spring Security's filter. */
	private static final String SECURITY_FILTER = "springSecurityFilterChain";

	private static final Logger logger = LoggerFactory.getLogger(StateStoreConsoleAutoConfiguration.class);

	@Bean
	@ConditionalOnMissingBean(name = "stateStoreConsole")
	RouterFunction<ServerResponse> stateStoreConsole(StateStoreConsoleProperties properties,
			@Qualifier("stateStoreConnection") StateStoreConnection connection,
			@Qualifier("stateHistory") ObjectProvider<StateHistory> history, ObjectProvider<ConsoleAccess> access,
			BeanFactory beans) {
		boolean secured = beans.containsBean(SECURITY_FILTER);
		if (!secured && !properties.insecure()) {
			logger.warn("The console of the state store is off, because this application has no Spring Security. "
					+ "Add spring-boot-starter-security. On a machine of your own, "
					+ "statestore.console.insecure=true shows all keys to everyone who can open the page");
			return (request) -> Optional.empty();
		}
		StoreReader store = new StoreReader(connection, history::getObject);
		return new ConsoleRoutes(store, access.getIfAvailable(), !secured).at(properties.path());
	}

}

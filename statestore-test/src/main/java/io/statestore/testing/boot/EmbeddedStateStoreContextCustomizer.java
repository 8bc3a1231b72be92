package io.statestore.testing.boot;

import io.statestore.boot.StateStoreConnectionDetails;
import io.statestore.client.ClientResources;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Customizer that adds a broker to a test's context. Customizers are equal if their
 * attributes are, so that tests can share contexts. The broker is a bean: it ends with
 * its context, even if the context fails to start.
 *
 * @param controlTime whether the test controls the time
 */
record EmbeddedStateStoreContextCustomizer(boolean controlTime) implements ContextCustomizer {

	private static final String TIME = "embeddedStateStoreTime";

	/** Bean name of the resources used by the auto-configured client. */
	private static final String RESOURCES = "stateStoreClientResources";

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
		AnnotatedBeanDefinitionReader reader = new AnnotatedBeanDefinitionReader(
				(BeanDefinitionRegistry) context.getBeanFactory(), context.getEnvironment());
		reader.registerBean(BrokerConfiguration.class);
		if (this.controlTime) {
			reader.registerBean(TestTime.class, TIME, TestTime::new);
			// Unlike a @Bean method, this takes precedence over an application's bean
			// with the same name.
			reader.registerBean(ClientResources.class, RESOURCES, null, (definition) -> {
				definition.setFactoryBeanName(TIME);
				definition.setFactoryMethodName("clientResources");
			});
		}
	}

	/** The broker and related beans. */
	@Configuration(proxyBeanMethods = false)
	static class BrokerConfiguration {

		@Bean
		TestBroker embeddedStateStoreBroker(ObjectProvider<TestTime> time) {
			TestBroker.Builder builder = TestBroker.builder();
			time.ifAvailable(builder::time);
			return builder.start();
		}

		@Bean
		StateStoreFaults embeddedStateStoreFaults(TestBroker broker) {
			return broker.faults();
		}

		@Bean
		EmbeddedContent embeddedStateStoreContent(TestBroker broker, ObjectProvider<TestTime> time) {
			return new EmbeddedContent(broker, time.getIfAvailable());
		}

		@Bean
		@Primary
		StateStoreConnectionDetails embeddedStateStoreConnectionDetails(TestBroker broker) {
			return new Details(broker.host(), broker.port());
		}

	}

	private record Details(String getHost, int getPort) implements StateStoreConnectionDetails {
	}

}

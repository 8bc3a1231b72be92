package io.statestore.testing.boot;

import io.statestore.boot.StateStoreConnectionDetails;
import io.statestore.client.ClientResources;
import io.statestore.testing.TestTime;
import io.statestore.testing.broker.StateStoreFaults;
import io.statestore.testing.broker.TestBroker;

import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Customizer that adds a broker to the context of a test. Customizers are equal if their
 * attributes are, so that tests share contexts. The broker is a bean: it ends with its
 * context, also if the context fails to start.
 *
 * @param controlTime whether the test controls the time
 * @param wireFaults whether clients may request faults
 */
record EmbeddedStateStoreContextCustomizer(boolean controlTime, boolean wireFaults) implements ContextCustomizer {

	private static final String PREFIX = "embeddedStateStore";

	/** Name of the resources that the auto-configured client uses. */
	private static final String RESOURCES = "stateStoreClientResources";

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
		BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
		RootBeanDefinition broker = definition(TestBroker.class, "broker");
		broker.getConstructorArgumentValues().addIndexedArgumentValue(0, this.wireFaults);
		broker.setDestroyMethodName("close");
		registry.registerBeanDefinition(PREFIX + "Broker", broker);
		if (this.controlTime) {
			registry.registerBeanDefinition(PREFIX + "Time", definition(TestTime.class, "time"));
			registry.registerBeanDefinition(RESOURCES, definition(ClientResources.class, "resources"));
			registry.registerBeanDefinition(PREFIX + "End", definition(EndOfControlledTime.class, "end"));
		}
		registry.registerBeanDefinition(PREFIX + "Faults", definition(StateStoreFaults.class, "faults"));
		registry.registerBeanDefinition(PREFIX + "Content", definition(EmbeddedContent.class, "content"));
		RootBeanDefinition details = definition(StateStoreConnectionDetails.class, "connectionDetails");
		details.setPrimary(true);
		registry.registerBeanDefinition(PREFIX + "ConnectionDetails", details);
	}

	/** Defines a bean by a factory method, whose arguments are injected. */
	private static RootBeanDefinition definition(Class<?> type, String factoryMethod) {
		RootBeanDefinition definition = new RootBeanDefinition(EmbeddedStateStoreBeans.class);
		definition.setFactoryMethodName(factoryMethod);
		definition.setTargetType(type);
		definition.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
		return definition;
	}

}

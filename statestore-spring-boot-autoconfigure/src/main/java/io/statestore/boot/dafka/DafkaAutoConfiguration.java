package io.statestore.boot.dafka;

import java.util.List;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.statestore.dafka.TowerAddress;
import io.statestore.dafka.producer.Producer;
import io.statestore.dafka.spring.DafkaConsumerFactory;
import io.statestore.dafka.spring.DafkaListenerRegistry;
import io.statestore.dafka.spring.DafkaTemplate;
import io.statestore.dafka.spring.DafkaValueConverter;
import io.statestore.dafka.spring.EnableDafka;
import io.statestore.dafka.spring.JacksonDafkaValueConverter;
import io.statestore.dafka.spring.metrics.DafkaMetrics;
import io.statestore.dafka.store.Store;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.messaging.Message;
import org.springframework.util.function.SingletonSupplier;

/**
 * Auto-configuration for Dafka: the template, listeners, and optionally a store. The
 * producer starts with the first record, so an application that only listens does not
 * start a producer. Each bean backs off if the application defines a bean of its type.
 */
@AutoConfiguration(afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
@ConditionalOnClass({ DafkaTemplate.class, Message.class })
@EnableConfigurationProperties(DafkaProperties.class)
public final class DafkaAutoConfiguration {

	/** Class that listeners require. Applications that only send may omit it. */
	private static final String LISTENER_SUPPORT = "io.statestore.listener.ListenerRegistrySupport";

	@Bean
	@ConditionalOnMissingBean
	DafkaConnectionDetails dafkaConnectionDetails(DafkaProperties properties) {
		List<TowerAddress> towers = properties.towerAddresses();
		return () -> towers;
	}

	@Bean
	DafkaNodes dafkaNodes(DafkaProperties properties, DafkaConnectionDetails details,
			ObjectProvider<DafkaNodeBuilderCustomizer> nodes, ObjectProvider<DafkaProducerBuilderCustomizer> producers,
			ObjectProvider<DafkaConsumerBuilderCustomizer> consumers,
			ObjectProvider<DafkaStoreBuilderCustomizer> stores) {
		return new DafkaNodes(properties, details, nodes, producers, consumers, stores);
	}

	/**
	 * Obtains the store first, so that it is closed after the producer: closing the
	 * producer waits for acknowledgments.
	 */
	@Bean(destroyMethod = "close")
	@Lazy
	@ConditionalOnMissingBean
	Producer dafkaProducer(DafkaNodes nodes, ObjectProvider<Store> stores) {
		stores.forEach((store) -> {
		});
		return nodes.producer().start();
	}

	@Bean
	@ConditionalOnMissingBean
	DafkaTemplate dafkaTemplate(ObjectProvider<Producer> producer, ObjectProvider<DafkaValueConverter> converter) {
		return new DafkaTemplate(SingletonSupplier.of(producer::getObject), converter.getIfUnique());
	}

	@Bean
	@ConditionalOnMissingBean
	DafkaConsumerFactory dafkaConsumerFactory(DafkaNodes nodes) {
		return nodes.consumerFactory();
	}

	@Bean(destroyMethod = "close")
	@Conditional(OnStoreCondition.class)
	@ConditionalOnMissingBean
	Store dafkaStore(DafkaNodes nodes) {
		return nodes.storeOptions().start();
	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(name = LISTENER_SUPPORT)
	@ConditionalOnMissingBean(DafkaListenerRegistry.class)
	@EnableDafka
	static class ListenerConfiguration {

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(JsonMapper.class)
	static class JacksonConfiguration {

		@Bean
		@ConditionalOnSingleCandidate(JsonMapper.class)
		@ConditionalOnMissingBean(DafkaValueConverter.class)
		JacksonDafkaValueConverter dafkaValueConverter(JsonMapper jsonMapper) {
			return new JacksonDafkaValueConverter(jsonMapper);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnClass(value = MeterBinder.class, name = LISTENER_SUPPORT)
	static class MetricsConfiguration {

		@Bean
		@ConditionalOnMissingBean
		DafkaMetrics dafkaMetrics(ConfigurableListableBeanFactory beanFactory, DafkaListenerRegistry listeners) {
			StartedBeans started = new StartedBeans(beanFactory);
			return new DafkaMetrics(() -> started.of(DafkaTemplate.class), () -> started.of(Producer.class),
					() -> started.of(Store.class), listeners);
		}

	}

}

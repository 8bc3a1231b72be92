package io.statestore.dafka.spring;

import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.ListenerAttributes;
import io.statestore.listener.ListenerBeanPostProcessor;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.validation.Validator;

/**
 * Post-processor that finds methods with {@link DafkaListener} and registers their
 * listeners once all singletons are created. A method that cannot be a listener as
 * declared prevents the application from starting: an {@link IllegalStateException} names
 * the method and the attribute.
 * <p>
 * A listener of a singleton stays registered until its registry ends. Other beans, such
 * as prototypes, are referenced weakly: their listeners are unregistered when the bean is
 * destroyed or garbage collected.
 */
final class DafkaListenerAnnotationBeanPostProcessor
		extends ListenerBeanPostProcessor<DafkaListener, DafkaListenerEndpoint> {

	private final Supplier<DafkaValues> values;

	private final Supplier<? extends @Nullable Validator> validator;

	/**
	 * Creates a post-processor. The arguments are called once all singletons are created.
	 * @param registry returns the registry of the listeners
	 * @param values returns the conversion of records
	 * @param validator returns the validator of values annotated with {@code @Valid}, or
	 * {@code null} for none
	 */
	public DafkaListenerAnnotationBeanPostProcessor(Supplier<DafkaListenerRegistry> registry,
			Supplier<DafkaValues> values, Supplier<? extends @Nullable Validator> validator) {
		super(DafkaListener.class, registry, ListenerMethod::invalid);
		this.values = values;
		this.validator = validator;
	}

	@Override
	protected Function<AnnotatedMethod<DafkaListener>, DafkaListenerEndpoint> endpointFactory(
			ConfigurableBeanFactory beanFactory, ListenerAttributes attributes) {
		return new ListenerFactory(beanFactory, attributes, this.values.get(), this.validator.get())::create;
	}

}

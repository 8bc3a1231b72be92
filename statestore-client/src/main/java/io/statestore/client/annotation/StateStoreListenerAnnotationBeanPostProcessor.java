package io.statestore.client.annotation;

import java.util.function.Function;
import java.util.function.Supplier;

import io.statestore.listener.AnnotatedMethod;
import io.statestore.listener.ListenerAttributes;
import io.statestore.listener.ListenerBeanPostProcessor;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.validation.Validator;

/**
 * Post-processor that finds methods with {@link StateStoreListener} and registers their
 * listeners once all singletons are created. A method that cannot be a listener as
 * declared prevents the application from starting: a
 * {@link StateStoreListenerMethodException} names the method and the attribute.
 * <p>
 * A listener of a singleton stays registered until its registry ends. Other beans, such
 * as prototypes, are referenced weakly: their listeners are unregistered when the bean is
 * destroyed or garbage collected.
 */
public final class StateStoreListenerAnnotationBeanPostProcessor
		extends ListenerBeanPostProcessor<StateStoreListener, StateStoreListenerEndpoint> {

	private final Supplier<? extends @Nullable Validator> validator;

	/**
	 * Creates a post-processor. The arguments are called once all singletons are created.
	 * @param registry returns the registry of the listeners
	 * @param validator returns the validator of values annotated with {@code @Valid}, or
	 * {@code null} for none
	 */
	public StateStoreListenerAnnotationBeanPostProcessor(Supplier<StateStoreListenerRegistry> registry,
			Supplier<? extends @Nullable Validator> validator) {
		super(StateStoreListener.class, registry, StateStoreListenerMethodException::new);
		this.validator = validator;
	}

	/**
	 * Returns whether a class has listener methods.
	 * @param type the class of a bean
	 * @return {@code true} if at least one method is annotated
	 */
	public static boolean hasListeners(Class<?> type) {
		return !annotatedMethods(type, StateStoreListener.class).isEmpty();
	}

	@Override
	protected Function<AnnotatedMethod<StateStoreListener>, StateStoreListenerEndpoint> endpointFactory(
			ConfigurableBeanFactory beanFactory, ListenerAttributes attributes) {
		return new ListenerFactory(beanFactory, attributes, this.validator.get())::create;
	}

}

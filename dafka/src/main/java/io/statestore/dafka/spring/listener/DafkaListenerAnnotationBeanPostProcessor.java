package io.statestore.dafka.spring.listener;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import io.statestore.dafka.spring.DafkaValues;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.validation.Validator;

/**
 * Finds methods with {@link DafkaListener} and registers them, checked, when all beans
 * are there. An annotation that cannot be right stops the application with an
 * {@link IllegalStateException} that names the method and the attribute.
 */
public final class DafkaListenerAnnotationBeanPostProcessor
		implements BeanPostProcessor, SmartInitializingSingleton, BeanFactoryAware {

	private final List<AnnotatedMethod> found = new ArrayList<>();

	private final Supplier<DafkaListenerRegistry> registry;

	private final Supplier<DafkaValues> values;

	private final Supplier<? extends @Nullable Validator> validator;

	private @Nullable ConfigurableBeanFactory beanFactory;

	private @Nullable EndpointFactory endpoints;

	/**
	 * All are asked for when all beans are there.
	 * @param registry takes the listeners
	 * @param values converts what they get
	 * @param validator of values annotated with {@code @Valid}; {@code null} for none
	 */
	public DafkaListenerAnnotationBeanPostProcessor(Supplier<DafkaListenerRegistry> registry,
			Supplier<DafkaValues> values, Supplier<? extends @Nullable Validator> validator) {
		this.registry = registry;
		this.values = values;
		this.validator = validator;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = (ConfigurableBeanFactory) beanFactory;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		if (bean instanceof AopInfrastructureBean || ScopedProxyUtils.isScopedTarget(beanName)
				|| !AnnotationUtils.isCandidateClass(type, DafkaListener.class)) {
			return bean;
		}
		Map<Method, Set<DafkaListener>> methods = MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<@Nullable Set<DafkaListener>>) (method) -> {
					Set<DafkaListener> listeners = AnnotatedElementUtils.getMergedRepeatableAnnotations(method,
							DafkaListener.class, DafkaListener.Container.class);
					return listeners.isEmpty() ? null : listeners;
				});
		methods.entrySet()
			.stream()
			.sorted(Comparator.comparing((entry) -> entry.getKey().toGenericString()))
			.forEach((entry) -> entry.getValue()
				.forEach((listener) -> add(new AnnotatedMethod(bean, beanName, type,
						AopUtils.selectInvocableMethod(entry.getKey(), bean.getClass()), listener))));
		return bean;
	}

	private void add(AnnotatedMethod method) {
		if (this.endpoints != null) {
			this.registry.get().register(this.endpoints.create(method));
		}
		else {
			this.found.add(method);
		}
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.beanFactory == null) {
			throw new IllegalStateException(
					"The post-processor of Dafka listeners has no bean factory. Make it a bean");
		}
		EndpointFactory endpoints = new EndpointFactory(this.beanFactory, this.values.get(), this.validator.get());
		this.endpoints = endpoints;
		List.copyOf(this.found).forEach((method) -> this.registry.get().register(endpoints.create(method)));
		this.found.clear();
	}

	/** A method to be called. */
	record AnnotatedMethod(Object bean, String beanName, Class<?> beanType, Method method, DafkaListener annotation) {
	}

}

package io.statestore.client.annotation;

import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.Comparator;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.validation.Validator;

/**
 * Finds methods with {@link StateStoreListener} and registers them, checked, when all
 * beans are there. An annotation that cannot be right stops the application with an
 * {@link StateStoreListenerMethodException} that names the method and the attribute.
 * <p>
 * A listener of a singleton stays registered until its registry ends. Other beans, such
 * as prototypes, are referenced weakly: their listeners are unregistered when the bean is
 * destroyed or garbage collected.
 */
public final class StateStoreListenerAnnotationBeanPostProcessor
		implements DestructionAwareBeanPostProcessor, SmartInitializingSingleton, BeanFactoryAware {

	/** Methods to register; some are found by other threads. */
	private final Queue<AnnotatedMethod> found = new ConcurrentLinkedQueue<>();

	/** Target classes with annotated methods. */
	private final Set<Class<?>> annotatedTypes = ConcurrentHashMap.newKeySet();

	/** Targets of the listeners that are unregistered with their bean, by id. */
	private final Map<String, WeakReference<Object>> targets = new ConcurrentHashMap<>();

	private final Supplier<StateStoreListenerRegistry> registry;

	private final Supplier<? extends @Nullable Validator> validator;

	private final SingletonSupplier<Cleaner> cleaner = SingletonSupplier.of(Cleaner::create);

	private volatile @Nullable ConfigurableBeanFactory beanFactory;

	private volatile @Nullable EndpointFactory endpoints;

	/**
	 * Creates a post-processor. Both arguments are called when all beans are there.
	 * @param registry returns the registry of the listeners
	 * @param validator returns the validator of values annotated with {@code @Valid}, or
	 * {@code null} for none
	 */
	public StateStoreListenerAnnotationBeanPostProcessor(Supplier<StateStoreListenerRegistry> registry,
			Supplier<? extends @Nullable Validator> validator) {
		this.registry = registry;
		this.validator = validator;
	}

	@Override
	public void setBeanFactory(BeanFactory beanFactory) {
		this.beanFactory = (ConfigurableBeanFactory) beanFactory;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		if (bean instanceof AopInfrastructureBean || ScopedProxyUtils.isScopedTarget(beanName)) {
			return bean;
		}
		Map<Method, Set<StateStoreListener>> methods = annotatedMethods(type);
		if (!methods.isEmpty()) {
			this.annotatedTypes.add(type);
			boolean weak = !isSingleton(beanName);
			methods.entrySet()
				.stream()
				.sorted(Comparator.comparing((entry) -> entry.getKey().toGenericString()))
				.forEach((entry) -> entry.getValue()
					.forEach((listener) -> this.found.add(new AnnotatedMethod(bean, beanName, type,
							AopUtils.selectInvocableMethod(entry.getKey(), bean.getClass()), listener, weak))));
			registerFound();
		}
		return bean;
	}

	/**
	 * Returns the listener methods of a class.
	 * @param type the class of a bean
	 * @return the methods and their annotations, empty if there are none
	 */
	static Map<Method, Set<StateStoreListener>> annotatedMethods(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, StateStoreListener.class)) {
			return Map.of();
		}
		return MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<@Nullable Set<StateStoreListener>>) (method) -> {
					Set<StateStoreListener> listeners = AnnotatedElementUtils.getMergedRepeatableAnnotations(method,
							StateStoreListener.class, StateStoreListener.Container.class);
					return listeners.isEmpty() ? null : listeners;
				});
	}

	/**
	 * Returns whether a class has listener methods.
	 * @param type the class of a bean
	 * @return {@code true} if at least one method is annotated
	 */
	public static boolean hasListeners(Class<?> type) {
		return !annotatedMethods(type).isEmpty();
	}

	private boolean isSingleton(String beanName) {
		ConfigurableBeanFactory beanFactory = this.beanFactory;
		return beanFactory != null && beanFactory.containsBean(beanName) && beanFactory.isSingleton(beanName);
	}

	@Override
	public void afterSingletonsInstantiated() {
		if (this.beanFactory == null) {
			throw new IllegalStateException(
					"The post-processor of state store listeners has no bean factory. Declare it as a bean");
		}
		this.endpoints = new EndpointFactory(this.beanFactory, this.validator.get());
		registerFound();
	}

	private void registerFound() {
		EndpointFactory endpoints = this.endpoints;
		if (endpoints == null) {
			return;
		}
		StateStoreListenerRegistry registry = this.registry.get();
		for (AnnotatedMethod method = this.found.poll(); method != null; method = this.found.poll()) {
			StateStoreListenerEndpoint endpoint = endpoints.create(method);
			registry.register(endpoint);
			if (method.weak()) {
				unregisterWithBean(method.bean(), endpoint.id(), registry, endpoints);
			}
		}
	}

	private void unregisterWithBean(Object bean, String id, StateStoreListenerRegistry registry,
			EndpointFactory endpoints) {
		WeakReference<Object> target = new WeakReference<>(target(bean));
		Map<String, WeakReference<Object>> targets = this.targets;
		targets.put(id, target);
		this.cleaner.obtain().register(bean, () -> {
			// After a destruction the id may belong to another bean.
			if (targets.remove(id, target)) {
				registry.unregister(id);
				endpoints.release(id);
			}
		});
	}

	@Override
	public boolean requiresDestruction(Object bean) {
		return this.annotatedTypes.contains(AopProxyUtils.ultimateTargetClass(bean));
	}

	@Override
	public void postProcessBeforeDestruction(Object bean, String beanName) {
		EndpointFactory endpoints = this.endpoints;
		if (endpoints == null) {
			return;
		}
		Object destroyed = target(bean);
		this.targets.forEach((id, target) -> {
			if (target.refersTo(destroyed) && this.targets.remove(id, target)) {
				this.registry.get().unregister(id);
				endpoints.release(id);
			}
		});
	}

	/** Returns the object behind all proxies. */
	private static Object target(Object bean) {
		Object target = bean;
		for (Object next = target; next != null; next = AopProxyUtils.getSingletonTarget(next)) {
			target = next;
		}
		return target;
	}

	/**
	 * A method to be called.
	 *
	 * @param bean the bean, or a proxy of it
	 * @param beanName the name of the bean
	 * @param beanType the class with the method
	 * @param method the method to invoke on the bean
	 * @param annotation one of the annotations of the method
	 * @param weak whether the listener must not keep the bean from being collected
	 */
	record AnnotatedMethod(Object bean, String beanName, Class<?> beanType, Method method,
			StateStoreListener annotation, boolean weak) {
	}

}

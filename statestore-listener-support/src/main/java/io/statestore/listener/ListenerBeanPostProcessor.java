package io.statestore.listener;

import java.lang.annotation.Annotation;
import java.lang.ref.Cleaner;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Internal: post-processor that finds annotated methods, and registers their listeners
 * once all singletons are created. An invalid listener method prevents the application
 * from starting. Not part of the API. Thread-safe.
 * <p>
 * A singleton's listeners stay registered. Other beans, such as prototypes, are
 * referenced weakly: their listeners are unregistered when the bean is destroyed or
 * garbage collected.
 *
 * @param <A> the annotation type
 * @param <E> the listener type
 */
public final class ListenerBeanPostProcessor<A extends Annotation, E extends ListenerEndpointSupport>
		implements DestructionAwareBeanPostProcessor, SmartInitializingSingleton {

	/**
	 * Methods of each bean to register once all singletons are created. Guarded by
	 * itself, because other threads may create beans.
	 */
	private final List<List<AnnotatedMethod<A>>> found = new ArrayList<>();

	/** Bean classes with annotated methods. */
	private final Set<Class<?>> annotatedTypes = ConcurrentHashMap.newKeySet();

	/**
	 * Beans that are not singletons, by listener id.
	 */
	private final Map<String, WeakReference<Object>> targets = new ConcurrentHashMap<>();

	private final SingletonSupplier<Cleaner> cleaner = SingletonSupplier.of(Cleaner::create);

	private final Class<A> annotationType;

	private final Supplier<? extends ListenerRegistrySupport<A, E>> registry;

	private final ConfigurableBeanFactory beanFactory;

	private volatile @Nullable Registration<A, E> registration;

	/**
	 * Creates a post-processor.
	 * @param annotationType the annotation type, which must be repeatable
	 * @param registry returns the registry; called once all singletons are created
	 * @param beanFactory resolves placeholders, expressions, and bean names
	 */
	public ListenerBeanPostProcessor(Class<A> annotationType,
			Supplier<? extends ListenerRegistrySupport<A, E>> registry, ConfigurableBeanFactory beanFactory) {
		this.annotationType = annotationType;
		this.registry = registry;
		this.beanFactory = beanFactory;
	}

	/**
	 * Returns whether a class has listener methods.
	 * @param type the bean class
	 * @param annotationType the annotation type, which must be repeatable
	 * @return {@code true} if at least one method is annotated
	 */
	public static boolean hasListeners(Class<?> type, Class<? extends Annotation> annotationType) {
		return !annotatedMethods(type, annotationType).isEmpty();
	}

	private static <A extends Annotation> Map<Method, Set<A>> annotatedMethods(Class<?> type, Class<A> annotationType) {
		if (!AnnotationUtils.isCandidateClass(type, annotationType)) {
			return Map.of();
		}
		return MethodIntrospector.selectMethods(type,
				(MethodIntrospector.MetadataLookup<@Nullable Set<A>>) (method) -> {
					Set<A> listeners = AnnotatedElementUtils.getMergedRepeatableAnnotations(method, annotationType);
					return listeners.isEmpty() ? null : listeners;
				});
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof AopInfrastructureBean || ScopedProxyUtils.isScopedTarget(beanName)) {
			return bean;
		}
		Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
		Map<Method, Set<A>> methods = annotatedMethods(type, this.annotationType);
		if (!methods.isEmpty()) {
			this.annotatedTypes.add(type);
			boolean weak = !this.beanFactory.containsBean(beanName) || !this.beanFactory.isSingleton(beanName);
			List<AnnotatedMethod<A>> annotated = new ArrayList<>();
			methods.entrySet()
				.stream()
				.sorted(Comparator.comparing((entry) -> entry.getKey().toGenericString()))
				.forEach((entry) -> entry.getValue()
					.forEach((listener) -> annotated.add(new AnnotatedMethod<>(bean, beanName, type,
							AopUtils.selectInvocableMethod(entry.getKey(), bean.getClass()), listener, weak))));
			registerOrKeep(annotated);
		}
		return bean;
	}

	@Override
	public void afterSingletonsInstantiated() {
		ListenerAttributes attributes = new ListenerAttributes(this.beanFactory);
		ListenerRegistrySupport<A, E> registry = this.registry.get();
		Registration<A, E> registration = new Registration<>(registry, attributes,
				registry.endpointFactory(this.beanFactory, attributes));
		List<List<AnnotatedMethod<A>>> found;
		synchronized (this.found) {
			this.registration = registration;
			found = List.copyOf(this.found);
			this.found.clear();
		}
		found.forEach((methods) -> register(methods, registration));
	}

	/**
	 * Registers a bean's methods, or keeps them until all singletons are created.
	 */
	private void registerOrKeep(List<AnnotatedMethod<A>> methods) {
		Registration<A, E> registration;
		synchronized (this.found) {
			registration = this.registration;
			if (registration == null) {
				this.found.add(methods);
				return;
			}
		}
		register(methods, registration);
	}

	/**
	 * Registers all methods of a bean. If this fails for a method, registers none of
	 * them.
	 */
	private void register(List<AnnotatedMethod<A>> methods, Registration<A, E> registration) {
		Map<String, AnnotatedMethod<A>> registered = new LinkedHashMap<>();
		try {
			methods.forEach((method) -> registered.put(registration.register(method), method));
		}
		catch (RuntimeException | Error ex) {
			registered.keySet().forEach(registration::unregister);
			throw ex;
		}
		registered.forEach((id, method) -> {
			if (method.weak()) {
				unregisterWithBean(method.bean(), id, registration);
			}
		});
	}

	private void unregisterWithBean(Object bean, String id, Registration<A, E> registration) {
		WeakReference<Object> target = new WeakReference<>(target(bean));
		Map<String, WeakReference<Object>> targets = this.targets;
		targets.put(id, target);
		this.cleaner.obtain().register(bean, () -> {
			// After the bean was destroyed, the id may belong to another bean.
			if (targets.remove(id, target)) {
				registration.unregister(id);
			}
		});
	}

	@Override
	public boolean requiresDestruction(Object bean) {
		return this.annotatedTypes.contains(AopProxyUtils.ultimateTargetClass(bean));
	}

	@Override
	public void postProcessBeforeDestruction(Object bean, String beanName) {
		Registration<A, E> registration = this.registration;
		if (registration == null) {
			return;
		}
		Object destroyed = target(bean);
		this.targets.forEach((id, target) -> {
			if (target.refersTo(destroyed) && this.targets.remove(id, target)) {
				registration.unregister(id);
			}
		});
	}

	/** Returns a bean's target object, behind all proxies. */
	private static Object target(Object bean) {
		Object target = bean;
		for (Object next = target; next != null; next = AopProxyUtils.getSingletonTarget(next)) {
			target = next;
		}
		return target;
	}

	private record Registration<A extends Annotation, E extends ListenerEndpointSupport>(
			ListenerRegistrySupport<A, E> registry, ListenerAttributes attributes,
			Function<AnnotatedMethod<A>, E> endpoints) {

		/** Registers a method's listener, and returns its id. */
		String register(AnnotatedMethod<A> method) {
			E endpoint = this.endpoints.apply(method);
			try {
				this.registry.register(endpoint);
			}
			catch (RuntimeException ex) {
				if (!this.registry.ids().contains(endpoint.id())) {
					this.attributes.releaseId(endpoint.id());
				}
				throw ex;
			}
			return endpoint.id();
		}

		void unregister(String id) {
			this.registry.unregister(id);
			this.attributes.releaseId(id);
		}

	}

}

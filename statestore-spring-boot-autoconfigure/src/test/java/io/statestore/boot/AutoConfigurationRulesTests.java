package io.statestore.boot;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.stereotype.Component;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.members;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/** Rules that Spring Boot applies to its own auto-configurations. */
class AutoConfigurationRulesTests {

	private static final JavaClasses CLASSES = new ClassFileImporter().importPath("target/classes");

	/** Packages on the class path of every application that uses this module. */
	private static final List<String> REQUIRED = List.of("java.", "io.statestore.boot.", "org.jspecify.", "org.slf4j.",
			"org.springframework.aop.", "org.springframework.beans.", "org.springframework.boot.autoconfigure.",
			"org.springframework.boot.context.", "org.springframework.boot.LazyInitializationExcludeFilter",
			"org.springframework.boot.ssl.", "org.springframework.boot.thread.", "org.springframework.context.",
			"org.springframework.core.", "org.springframework.util.");

	@Test
	void everyAutoConfigurationIsListed() {
		Set<String> annotated = CLASSES.stream()
			.filter((type) -> type.isAnnotatedWith(AutoConfiguration.class))
			.map(JavaClass::getName)
			.collect(Collectors.toCollection(TreeSet::new));
		List<String> listed = ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader())
			.getCandidates()
			.stream()
			.filter((name) -> name.startsWith("io.statestore."))
			.toList();
		assertThat(listed).containsExactlyElementsOf(annotated);
	}

	@Test
	void autoConfigurationsArePublicAndFinal() {
		classes().that()
			.areAnnotatedWith(AutoConfiguration.class)
			.should()
			.bePublic()
			.andShould()
			.haveModifier(JavaModifier.FINAL)
			.andShould()
			.haveSimpleNameEndingWith("AutoConfiguration")
			.check(CLASSES);
		classes().that()
			.haveSimpleNameEndingWith("AutoConfiguration")
			.should()
			.beAnnotatedWith(AutoConfiguration.class)
			.check(CLASSES);
	}

	@Test
	void autoConfigurationsHaveNoPublicMembers() {
		members().that()
			.areDeclaredInClassesThat(areConfigurations())
			.and(arePublicOrProtected())
			.should(notExist())
			.allowEmptyShould(true)
			.check(CLASSES);
	}

	@Test
	void configurationsAreNestedAndPackagePrivate() {
		classes().that()
			.areAnnotatedWith(Configuration.class)
			.should()
			.bePackagePrivate()
			.andShould()
			.beNestedClasses()
			.check(CLASSES);
	}

	@Test
	void configurationsHaveNoProxies() {
		classes().that().areAnnotatedWith(Configuration.class).should(disableProxyBeanMethods()).check(CLASSES);
	}

	/** Otherwise, the class cannot be introspected in an application without the type. */
	@Test
	void optionalTypesInBeanMethodsAreGuardedByTheirClass() {
		methods().that().areAnnotatedWith(Bean.class).should(useOnlyGuardedTypes()).check(CLASSES);
	}

	@Test
	void beansBackOff() {
		methods().that()
			.areAnnotatedWith(Bean.class)
			.and(isReplaceable())
			.should()
			.beAnnotatedWith(ConditionalOnMissingBean.class)
			.check(CLASSES);
	}

	/** Otherwise, they would create their class's bean too early. */
	@Test
	void postProcessorsAreStatic() {
		methods().that()
			.areAnnotatedWith(Bean.class)
			.and(returnOneOf(BeanPostProcessor.class, BeanFactoryPostProcessor.class,
					LazyInitializationExcludeFilter.class))
			.should()
			.beStatic()
			.check(CLASSES);
	}

	@Test
	void propertiesAreEnabledByAnAutoConfiguration() {
		Set<String> enabled = CLASSES.stream()
			.filter((type) -> type.isAnnotatedWith(EnableConfigurationProperties.class))
			.flatMap((type) -> List
				.of((JavaClass[]) type.getAnnotationOfType(EnableConfigurationProperties.class.getName())
					.get("value")
					.orElseThrow())
				.stream())
			.map(JavaClass::getName)
			.collect(Collectors.toSet());
		Set<String> properties = CLASSES.stream()
			.filter((type) -> type.isAnnotatedWith(ConfigurationProperties.class))
			.map(JavaClass::getName)
			.collect(Collectors.toSet());
		assertThat(properties).isNotEmpty().isEqualTo(enabled);
		methods().that()
			.areAnnotatedWith(Bean.class)
			.should()
			.notBeAnnotatedWith(ConfigurationProperties.class)
			.check(CLASSES);
	}

	@Test
	void conditionPropertiesHaveMetadata() {
		Set<String> names = CLASSES.stream()
			.flatMap((type) -> Stream.concat(type.getAnnotations().stream(),
					type.getMethods().stream().flatMap((method) -> method.getAnnotations().stream())))
			.flatMap(AutoConfigurationRulesTests::properties)
			.filter((name) -> name.matches("(statestore|dafka|management)\\..*"))
			.collect(Collectors.toCollection(TreeSet::new));
		assertThat(names).contains("statestore.embedded.enabled", "management.health.dafka.enabled");
		assertThat(PropertyMetadata.read().names()).containsAll(names);
	}

	@Test
	void nothingIsInjectedIntoFields() {
		fields().should()
			.notBeAnnotatedWith(Autowired.class)
			.andShould()
			.notBeAnnotatedWith(Value.class)
			.check(CLASSES);
	}

	@Test
	void noComponentsAreScanned() {
		noClasses().that()
			.areNotAnnotations()
			.and()
			.areNotMetaAnnotatedWith(Configuration.class)
			.should()
			.beMetaAnnotatedWith(Component.class)
			.check(CLASSES);
	}

	private static DescribedPredicate<JavaClass> areConfigurations() {
		return DescribedPredicate.describe("are configurations",
				(type) -> type.isMetaAnnotatedWith(Configuration.class));
	}

	private static DescribedPredicate<JavaMember> arePublicOrProtected() {
		return DescribedPredicate.describe("are public or protected",
				(member) -> member.getModifiers().contains(JavaModifier.PUBLIC)
						|| member.getModifiers().contains(JavaModifier.PROTECTED));
	}

	private static DescribedPredicate<JavaMethod> returnOneOf(Class<?>... types) {
		return DescribedPredicate.describe("return one of " + List.of(types),
				(method) -> List.of(types).stream().anyMatch(method.getRawReturnType()::isAssignableTo));
	}

	/** Beans of package-private types cannot be replaced. */
	private static DescribedPredicate<JavaMethod> isReplaceable() {
		return DescribedPredicate.describe("can be replaced",
				(method) -> method.getRawReturnType().getModifiers().contains(JavaModifier.PUBLIC)
						&& !method.getRawReturnType().isAssignableTo(LazyInitializationExcludeFilter.class)
						&& !method.getName().matches("embedded\\w+ConnectionDetails|dafkaNodes"));
	}

	private static ArchCondition<JavaMember> notExist() {
		return new ArchCondition<>("not exist") {

			@Override
			public void check(JavaMember member, ConditionEvents events) {
				events.add(SimpleConditionEvent.violated(member, member.getDescription()));
			}

		};
	}

	private static ArchCondition<JavaClass> disableProxyBeanMethods() {
		return new ArchCondition<>("disable proxyBeanMethods") {

			@Override
			public void check(JavaClass type, ConditionEvents events) {
				boolean proxy = type.getAnnotationOfType(Configuration.class).proxyBeanMethods();
				events.add(new SimpleConditionEvent(type, !proxy, type.getDescription()));
			}

		};
	}

	private static ArchCondition<JavaMethod> useOnlyGuardedTypes() {
		return new ArchCondition<>("use only types of required modules or of a ConditionalOnClass of their class") {

			@Override
			public void check(JavaMethod method, ConditionEvents events) {
				Set<String> guards = guards(method.getOwner());
				method.getRawParameterTypes()
					.stream()
					.filter((type) -> isOptional(type) && guards.stream().noneMatch((guard) -> covers(guard, type)))
					.forEach((type) -> events.add(SimpleConditionEvent.violated(method,
							method.getFullName() + " uses " + type.getName() + " with the guards " + guards)));
				JavaClass result = method.getRawReturnType();
				if (isOptional(result) && guards.stream().noneMatch((guard) -> covers(guard, result))) {
					events.add(SimpleConditionEvent.violated(method,
							method.getFullName() + " returns " + result.getName() + " with the guards " + guards));
				}
			}

		};
	}

	private static boolean isOptional(JavaClass type) {
		return !type.isPrimitive() && REQUIRED.stream().noneMatch(type.getName()::startsWith);
	}

	/** Returns whether a class of the same module guards a type. */
	private static boolean covers(String guard, JavaClass type) {
		return module(guard).equals(module(type.getName()));
	}

	/** Returns the first three parts of a package, which identify the module here. */
	private static String module(String type) {
		// The client requires Spring Integration.
		String name = type.startsWith("org.springframework.integration.") ? "io.statestore.client." : type;
		return List.of(name.split("\\.")).stream().limit(3).collect(Collectors.joining("."));
	}

	/**
	 * Returns the classes named by the conditions on a class and its enclosing classes.
	 */
	private static Set<String> guards(JavaClass type) {
		Set<String> guards = new TreeSet<>();
		for (JavaClass current = type; current != null; current = current.getEnclosingClass().orElse(null)) {
			if (current.isAnnotatedWith(ConditionalOnClass.class)) {
				JavaAnnotation<JavaClass> condition = current.getAnnotationOfType(ConditionalOnClass.class.getName());
				condition.get("value")
					.ifPresent((value) -> List.of((JavaClass[]) value).forEach((guard) -> guards.add(guard.getName())));
				condition.get("name").ifPresent((name) -> guards.addAll(List.of((String[]) name)));
			}
		}
		return guards;
	}

	private static Stream<String> properties(JavaAnnotation<?> annotation) {
		JavaClass type = annotation.getRawType();
		if (type.isEquivalentTo(ConditionalOnEnabledHealthIndicator.class)) {
			return text(annotation, "value").map((name) -> "management.health." + name + ".enabled");
		}
		if (!type.isEquivalentTo(ConditionalOnBooleanProperty.class)
				&& !type.isEquivalentTo(ConditionalOnProperty.class)) {
			return Stream.empty();
		}
		String prefix = text(annotation, "prefix")
			.map((text) -> text.endsWith(".") || text.isEmpty() ? text : text + '.')
			.findFirst()
			.orElse("");
		return Stream.concat(text(annotation, "value"), text(annotation, "name")).map((name) -> prefix + name);
	}

	private static Stream<String> text(JavaAnnotation<?> annotation, String attribute) {
		Object value = annotation.get(attribute).orElse("");
		return (value instanceof String[] texts) ? Arrays.stream(texts)
				: Stream.of(value.toString()).filter((text) -> !text.isEmpty());
	}

}

package io.statestore.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.util.Collections;
import java.util.Set;
import java.util.stream.Collectors;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/** Directions of dependencies: protocol ← client ← Boot, and protocol ← broker ← Boot. */
@TestInstance(Lifecycle.PER_CLASS)
class ModuleDirectionTests {

	/** Not static, because it occupies a large part of the heap. */
	private final JavaClasses classes = ArchConfiguration.withThreadLocalScope(ModuleDirectionTests::read);

	/** Reads only our own classes, because for other classes the names are sufficient. */
	private static JavaClasses read(ArchConfiguration configuration) {
		configuration.setResolveMissingDependenciesFromClassPath(false);
		try {
			return new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
				.importUrls(
						Collections.list(ModuleDirectionTests.class.getClassLoader().getResources("io/statestore")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void protocolDependsOnNoOtherModule() {
		noClasses().that()
			.resideInAPackage("io.statestore.protocol..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.client..", "io.statestore.broker..", "io.statestore.boot..")
			.check(this.classes);
	}

	@Test
	void clientDependsOnNeitherBrokerNorBoot() {
		noClasses().that()
			.resideInAPackage("io.statestore.client..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.broker..", "io.statestore.boot..", "org.springframework.boot..")
			.check(this.classes);
	}

	@Test
	void brokerDependsOnNeitherClientNorSpring() {
		noClasses().that()
			.resideInAPackage("io.statestore.broker..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.client..", "io.statestore.boot..", "org.springframework..")
			.check(this.classes);
	}

	@Test
	void engineDependsOnNoTransport() {
		noClasses().that()
			.resideInAnyPackage("io.statestore.broker.engine..", "io.statestore.broker.server..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.broker.mqtt..", "io.netty..")
			.check(this.classes);
	}

	@Test
	void clientApiDependsOnNoTransport() {
		noClasses().that()
			.resideInAPackage("io.statestore.client")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.client.mqtt..", "org.eclipse.paho..")
			.check(this.classes);
	}

	/**
	 * An application without adapters has neither {@code spring-integration-mqtt} nor
	 * Paho.
	 */
	@Test
	void onlyClientManagerDependsOnAdaptersAndPaho() {
		noClasses().that()
			.resideOutsideOfPackage("io.statestore.client.mqtt.integration..")
			.and()
			.doNotHaveSimpleName("StateStoreIntegrationAutoConfiguration")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework.integration.mqtt..", "org.eclipse.paho..",
					"io.statestore.client.mqtt.integration..")
			.check(this.classes);
	}

	@Test
	void onlyLinksAndAdaptersDependOnNetty() {
		noClasses().that()
			.resideInAPackage("io.statestore.client..")
			.and()
			.resideOutsideOfPackage("io.statestore.client.mqtt.integration..")
			.and()
			.haveNameNotMatching(".*\\.mqtt\\.internal\\.(Link|InFlight|Netty\\w+)(\\$.*)?")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.netty..")
			.check(this.classes);
	}

	@Test
	void onlyConnectionsDependOnPackets() {
		noClasses().that()
			.resideInAPackage("io.statestore.client..")
			.and()
			.resideOutsideOfPackages("io.statestore.client.mqtt.integration..", "io.statestore.client.mqtt.internal..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.statestore.mqtt..")
			.check(this.classes);
	}

	@Test
	void linksDependOnNeitherConnectionNorCalls() {
		noClasses().that()
			.haveNameMatching(".*\\.mqtt\\.internal\\.(Link|InFlight|Netty).*")
			.should()
			.dependOnClassesThat()
			.haveNameMatching(".*\\.(StateStoreConnection|MqttConnection|Calls?|FlowControl|OwnSubscriptions)")
			.check(this.classes);
	}

	@Test
	void onlyAdapterDependsOnShedLock() {
		noClasses().that()
			.haveNameNotMatching(".*\\.(StateStoreLockProvider(\\$LeasedLock)?|StateStoreShedLockAutoConfiguration)")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("net.javacrumbs..")
			.check(this.classes);
	}

	/** Native images would need a hint for each member. */
	@Test
	void noClassReadsMembersByReflection() {
		Set<String> readers = this.classes.stream()
			.filter((type) -> resideInAnyPackage("io.statestore.broker..", "io.statestore.client..",
					"io.statestore.protocol..", "io.statestore.boot..", "io.statestore.listener..")
				.test(type))
			.filter((type) -> type.getFields()
				.stream()
				.anyMatch((field) -> field.getRawType().isEquivalentTo(Field.class))
					|| type.getMethodCallsFromSelf()
						.stream()
						.anyMatch((call) -> call.getTargetOwner().isEquivalentTo(Class.class)
								&& call.getName().matches("getDeclared(Field|Method|Constructor)s?")))
			.map(JavaClass::getName)
			.collect(Collectors.toSet());
		assertThat(readers).isEmpty();
	}

	@Test
	void filesHaveNoLargeCycles() {
		FileCycles
			.noCycleOfMoreThanTwoFiles("io.statestore.boot..", "io.statestore.client..", "io.statestore.listener..")
			.check(this.classes);
	}

	@Test
	void packagesHaveNoCycles() {
		slices().assignedFrom(new Packages()).should().beFreeOfCycles().check(this.classes);
	}

	/** Faster than a package identifier, which is parsed for each dependency. */
	private static final class Packages implements SliceAssignment {

		private static final String CONNECTION = "io.statestore.client.mqtt";

		/** Separate only to hide names, see decision 46. Files have no large cycles. */
		private static final String BEHIND_CONNECTION = CONNECTION + ".internal";

		@Override
		public SliceIdentifier getIdentifierOf(JavaClass type) {
			String name = type.getPackageName();
			return name.startsWith("io.statestore.")
					? SliceIdentifier.of(name.equals(BEHIND_CONNECTION) ? CONNECTION : name) : SliceIdentifier.ignore();
		}

		@Override
		public String getDescription() {
			return "packages";
		}

	}

}

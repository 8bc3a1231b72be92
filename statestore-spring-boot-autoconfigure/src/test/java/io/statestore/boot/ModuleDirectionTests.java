package io.statestore.boot;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

/** Dependencies point one way: protocol ← client ← Boot, protocol ← broker ← Boot. */
class ModuleDirectionTests {

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
		.importPackages("io.statestore");

	@Test
	void protocolKnowsNobody() {
		noClasses().that()
			.resideInAPackage("io.statestore.protocol..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.client..", "io.statestore.broker..", "io.statestore.boot..")
			.check(CLASSES);
	}

	@Test
	void clientKnowsNeitherBrokerNorBoot() {
		noClasses().that()
			.resideInAPackage("io.statestore.client..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.broker..", "io.statestore.boot..", "org.springframework.boot..")
			.check(CLASSES);
	}

	@Test
	void brokerKnowsNeitherClientNorSpring() {
		noClasses().that()
			.resideInAPackage("io.statestore.broker..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.client..", "io.statestore.boot..", "org.springframework..")
			.check(CLASSES);
	}

	@Test
	void engineKnowsNoTransport() {
		noClasses().that()
			.resideInAnyPackage("io.statestore.broker.engine..", "io.statestore.broker.server..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.broker.mqtt..", "io.netty..", "org.apache.activemq..")
			.check(CLASSES);
	}

	@Test
	void applicationsSeeNoTransport() {
		noClasses().that()
			.resideInAPackage("io.statestore.client")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("io.statestore.client.mqtt..", "org.eclipse.paho..")
			.check(CLASSES);
	}

	/** It is optional, as is its place. */
	@Test
	void onlyTheAdapterKnowsShedLock() {
		noClasses().that()
			.haveNameNotMatching(".*\\.(StateStoreLockProvider|LeasedLock|StateStoreShedLockAutoConfiguration)")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("net.javacrumbs..")
			.check(CLASSES);
	}

	@Test
	void noCycleOfMoreThanTwoFiles() {
		FileCycles.noCycleOfMoreThanTwoFiles("io.statestore.boot..").check(CLASSES);
	}

	@Test
	void noPackageCycles() {
		slices().matching("io.statestore.(**)").should().beFreeOfCycles().check(CLASSES);
	}

}

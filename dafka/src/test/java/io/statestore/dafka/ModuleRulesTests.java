package io.statestore.dafka;

import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.statestore.test.FileCycles;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

/** Dependencies of this module, and between its packages. */
class ModuleRulesTests {

	private static final String OURS = "io.statestore.dafka";

	private static final String SPRING = OURS + ".spring..";

	private static final String CLI = OURS + ".cli..";

	private static final List<String> NODES = List.of("tower", "producer", "consumer", "store");

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ImportOption.DoNotIncludeTests())
		.importPackages(OURS);

	@Test
	void dependsOnlyOnJeroMqRocksDbBouncyCastleAndSlf4j() {
		classes().that()
			.resideOutsideOfPackages(SPRING, CLI)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(OURS + "..", "java..", "org.jspecify.annotations", "org.slf4j", "org.zeromq", "zmq..",
					"org.rocksdb", "org.bouncycastle..")
			.check(CLASSES);
	}

	@Test
	void onlySpringPackagesUseSpring() {
		noClasses().that()
			.resideOutsideOfPackage(SPRING)
			.should()
			.dependOnClassesThat()
			.resideInAPackage(SPRING)
			.check(CLASSES);
		classes().that()
			.resideInAPackage(SPRING)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(OURS + "..", "java..", "org.jspecify.annotations", "org.slf4j", "org.springframework..",
					"io.micrometer..", "tools.jackson..", "io.statestore.listener")
			.check(CLASSES);
		noClasses().that()
			.resideInAPackage(SPRING)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(OURS + ".wire..", OURS + ".reading..", "org.springframework.boot..")
			.check(CLASSES);
	}

	@Test
	void springPackagesDependOneWay() {
		forbid(".spring", "spring.listener", "spring.metrics");
		forbid(".spring.listener..", "spring.metrics");
	}

	@Test
	void packagesDependOneWay() {
		forbid("", "wire", "zmtp", "discovery", "node", "reading", "tower", "producer", "consumer", "store");
		forbid(".wire..", "zmtp", "discovery", "node", "reading", "tower", "producer", "consumer", "store");
		forbid(".reading..", "wire", "zmtp", "discovery", "node", "tower", "producer", "consumer", "store");
		forbid(".zmtp..", "wire", "discovery", "node", "reading", "tower", "producer", "consumer", "store");
		forbid(".discovery..", "node", "reading", "tower", "producer", "consumer", "store");
		forbid(".node..", "reading", "tower", "producer", "consumer", "store");
		NODES.forEach((node) -> forbid('.' + node + "..",
				NODES.stream().filter((other) -> !other.equals(node)).toArray(String[]::new)));
	}

	@Test
	void wireAndReadingUseNeitherSocketsNorThreads() {
		noClasses().that()
			.resideInAnyPackage(OURS + ".wire..", OURS + ".reading..")
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage("org.zeromq", "zmq..", "java.util.concurrent..", "java.net..", "java.nio.channels..")
			.check(CLASSES);
	}

	@Test
	void onlyStorageUsesRocksDb() {
		noClasses().that()
			.resideOutsideOfPackage(OURS + ".store.storage..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.rocksdb")
			.check(CLASSES);
	}

	@Test
	void onlyCurveUsesBouncyCastle() {
		noClasses().that()
			.haveSimpleNameNotEndingWith("X25519")
			.and()
			.haveSimpleNameNotEndingWith("CurveBox")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("org.bouncycastle..")
			.check(CLASSES);
	}

	@Test
	void commandLineUsesOnlyTheApi() {
		classes().that()
			.resideInAPackage(CLI)
			.should()
			.onlyHaveDependentClassesThat()
			.resideInAPackage(CLI)
			.check(CLASSES);
		classes().that()
			.resideInAPackage(CLI)
			.should()
			.onlyDependOnClassesThat()
			.resideInAnyPackage(CLI, "java..", "org.jspecify.annotations", "picocli", OURS, OURS + ".tower",
					OURS + ".producer", OURS + ".consumer", OURS + ".store", OURS + ".node")
			.check(CLASSES);
	}

	@Test
	void filesFormNoCycles() {
		FileCycles.noCycleOfMoreThanTwoFiles(OURS + "..").check(CLASSES);
	}

	private void forbid(String from, String... to) {
		noClasses().that()
			.resideInAPackage(OURS + from)
			.should()
			.dependOnClassesThat()
			.resideInAnyPackage(Stream.of(to).map((name) -> OURS + '.' + name + "..").toArray(String[]::new))
			.check(CLASSES);
	}

}

package io.statestore.broker.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

import io.statestore.broker.cluster.ClusterProvider;
import io.statestore.broker.faults.careless.CarelessProvider;

/**
 * Classes of a defective consensus, in a directory that precedes all others on a node's
 * class path.
 */
final class CarelessClasses {

	private CarelessClasses() {
	}

	/** Copies the classes, and registers them. */
	static Path copy(Path directory) throws Exception {
		Path source = Path.of(CarelessProvider.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		String name = CarelessProvider.class.getPackageName().replace('.', '/');
		Path target = Files.createDirectories(directory.resolve(name));
		for (Path file : files(source.resolve(name))) {
			Files.copy(file, target.resolve(file.getFileName().toString()), StandardCopyOption.REPLACE_EXISTING);
		}
		Path services = Files.createDirectories(directory.resolve("META-INF/services"));
		Files.writeString(services.resolve(ClusterProvider.class.getName()), CarelessProvider.class.getName());
		return directory;
	}

	private static List<Path> files(Path directory) throws IOException {
		try (Stream<Path> files = Files.list(directory)) {
			return files.toList();
		}
	}

}

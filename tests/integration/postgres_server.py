"""A PostgreSQL server of its own for the tests: a fresh cluster in a temporary folder, reached through a socket in that folder."""
import glob
import os
import pwd
import shutil
import subprocess
import tempfile

PASSWORD = "s3cret-Word"


def program(name):
    """The newest version that Debian has installed; its programs are not in PATH."""
    versions = glob.glob(f"/usr/lib/postgresql/*/bin/{name}")
    return max(versions, key=lambda path: int(path.split("/")[4])) if versions else name


class Server:
    """Starts a server in `folder`; every connection needs the password of the user `reader`, who owns the database."""

    def __init__(self):
        # A socket has a path of at most 107 bytes, so the folder is directly in /tmp.
        self.folder = tempfile.mkdtemp(prefix="otss-pg-", dir="/tmp")
        self.data = os.path.join(self.folder, "data")
        # The server refuses to run as root.
        self.owner = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.owner:
            os.chown(self.folder, self.owner.pw_uid, self.owner.pw_gid)
        self.environment = {**{k: v for k, v in os.environ.items() if not k.startswith("PG")}, "PGPASSWORD": PASSWORD}
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        password = os.path.join(self.folder, "password")
        with open(password, "w", encoding="ascii") as file:
            file.write(PASSWORD)
        os.chmod(password, 0o644)
        self.run("initdb", "-D", self.data, "-U", "reader", "-A", "scram-sha-256", f"--pwfile={password}", "-E", "UTF8", "--locale=C",
                 "--no-sync")
        self.run("pg_ctl", "-D", self.data, "-w", "-l", os.path.join(self.folder, "log"), "-o",
                 f"-k {self.folder} -c listen_addresses='' -c fsync=off -c full_page_writes=off", "start")

    def run(self, name, *arguments):
        user = {"user": self.owner.pw_uid, "group": self.owner.pw_gid, "extra_groups": []} if self.owner else {}
        # The server inherits the streams of pg_ctl, so a pipe would never end.
        done = subprocess.run([program(name), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              cwd=self.folder, check=False, timeout=120, **user)
        if done.returncode != 0:
            raise RuntimeError(f"{name} failed with exit status {done.returncode}")

    def stop(self):
        if os.path.exists(os.path.join(self.data, "postmaster.pid")):
            self.run("pg_ctl", "-D", self.data, "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, table="", user="reader", password=""):
        secret = f":{password}" if password else ""
        return f"postgresql://{user}{secret}@/postgres?host={self.folder}" + (f"#{table}" if table else "")

    def sql(self, statement, stdin=None):
        """The rows that psql prints, as lists of texts."""
        done = subprocess.run(["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", self.address(), "-c", statement], input=stdin,
                              capture_output=True, text=True, env=self.environment, check=False, timeout=900)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return [line.split("|") for line in done.stdout.splitlines()]

    def load(self, table, csv_file, texts=("decision", "id")):
        """Makes a table of the columns of a CSV file, numbers but for `texts`, and copies the file into it."""
        with open(csv_file, encoding="utf-8") as file:
            header = file.readline().strip().split(",")
        columns = ", ".join(f'"{name}" {"text" if name in texts else "double precision"}' for name in header)
        self.sql(f'CREATE TABLE {table} ({columns})')
        with open(csv_file, encoding="utf-8") as file:
            self.sql(f"COPY {table} FROM STDIN (FORMAT csv, HEADER)", stdin=file.read())

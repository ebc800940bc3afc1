# The gate as an image: for the GitHub action (its entry point is named in action.yml) and for `docker run`.
# No USER: the runner mounts a workspace that belongs to another user. It works under any user all the same.
#
# The base is a tag, not a digest: a digest belongs to whoever publishes the image, and the release workflow
# resolves it (docs/ci.md, "Pins").
ARG PYTHON_IMAGE=python:3.13-slim

FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
WORKDIR /build
COPY requirements-runtime.lock ./
# Wheels only, each with its hash; then what a run never needs goes: pip, and the libraries' own tests.
RUN python3 -m venv --copies /opt/gate \
 && /opt/gate/bin/pip install --quiet --require-hashes --only-binary=:all: --no-compile -r requirements-runtime.lock \
 && /opt/gate/bin/python -c "import sysconfig; print(sysconfig.get_path('purelib'))" > site \
 && /opt/gate/bin/pip uninstall --quiet --yes pip \
 && find "$(cat site)" -type d -name tests -prune -exec rm -rf {} + \
 && find "$(cat site)" -name '*.pyi' -delete \
 && rm -rf /opt/gate/include
COPY src/retrieval_gate /build/retrieval_gate
COPY docker/retrieval-gate-action /opt/gate/bin/retrieval-gate-action
RUN cp -r /build/retrieval_gate "$(cat site)/retrieval_gate" \
 && chmod 755 /opt/gate/bin/retrieval-gate-action

FROM ${PYTHON_IMAGE}
LABEL org.opencontainers.image.title="retrieval-gate" \
      org.opencontainers.image.description="A CI gate for retrieval" \
      org.opencontainers.image.licenses="Apache-2.0"
# One BLAS thread: no value hangs on it, and a start is faster.
ENV OPENBLAS_NUM_THREADS=1
COPY --from=build /opt/gate /opt/gate
# Compiled once, here: a read-only root can not be compiled into, and a start must not compile.
RUN PYTHONHASHSEED=0 /opt/gate/bin/python -m compileall -q --invalidation-mode unchecked-hash \
      /opt/gate "$(/opt/gate/bin/python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
COPY LICENSE /opt/gate/LICENSE
WORKDIR /workspace
ENTRYPOINT ["/opt/gate/bin/python", "-I", "-B", "-m", "retrieval_gate"]
CMD ["--help"]

# The image of flowcontrol-apiserver: a static program, no
# shell. `make image` builds it; both base images can be replaced by ones of your own registry.
ARG BUILD_IMAGE=docker.io/library/golang:1.26.10
ARG RUN_IMAGE=gcr.io/distroless/static-debian12:nonroot

# The compiler runs on the platform of the builder and compiles for that of the image.
FROM --platform=${BUILDPLATFORM} ${BUILD_IMAGE} AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY cmd cmd
COPY pkg pkg
# The release that --version and /version name; empty: the one in the source.
ARG VERSION=
# Where modules come from, if not from where Go looks by itself.
ARG GOPROXY=
# Set by the builder: the platform of the image.
ARG TARGETOS
ARG TARGETARCH
ENV GOOS=${TARGETOS} GOARCH=${TARGETARCH}
ENV CGO_ENABLED=0 GOMODCACHE=/cache/mod GOCACHE=/cache/build GOTOOLCHAIN=local
# The same source, Go release and VERSION give the same bytes.
ARG GOFLAGS=-trimpath
RUN --mount=type=cache,target=/cache \
    go build -buildvcs=false \
      -ldflags="-s -w -buildid= ${VERSION:+-X github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server.productVersion=${VERSION}}" \
      -o /out/flowcontrol-apiserver ./cmd/flowcontrol-apiserver

FROM ${RUN_IMAGE}
LABEL org.opencontainers.image.title="flowcontrol-apiserver" \
      org.opencontainers.image.description="API server for Kubernetes flow control" \
      org.opencontainers.image.source="https://github.com/flowcontrol-apiserver/flowcontrol-apiserver" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /out/flowcontrol-apiserver /flowcontrol-apiserver
# By number, so that kubelet can tell that it is not root.
USER 65532:65532
EXPOSE 6443
ENTRYPOINT ["/flowcontrol-apiserver"]
